package syntax

import "fmt"

// python3 is the hint for what the embedded Python leaves out.
const python3 = "use `language: python3`"

// maxErrors bounds how many problems are reported.
const maxErrors = 50

type errorList struct {
	errs   []*Error
	silent bool // while skipping what has been reported already
}

func (l *errorList) add(p Pos, hint, format string, args ...any) {
	if l.silent || len(l.errs) >= maxErrors {
		return
	}
	if n := len(l.errs); n > 0 && l.errs[n-1].Pos == p {
		return
	}
	l.errs = append(l.errs, &Error{Pos: p, Msg: fmt.Sprintf(format, args...), Hint: hint})
}
