package syntax

import "fmt"

// kind is the kind of a token. Operators and keywords are kinds by their text.
type kind string

const (
	tEOF     kind = "end of file"
	tNewline kind = "end of line"
	tIndent  kind = "indent"
	tDedent  kind = "dedent"
	tName    kind = "name"
	tInt     kind = "integer"
	tFloat   kind = "float"
	tString  kind = "string"
	tFString kind = "f-string"
)

type token struct {
	kind  kind
	pos   Pos
	start int // offsets in the source
	end   int
	text  string // of names and numbers; the content of strings
	bytes bool   // a bytes literal
	fstr  fstringStart
}

// fstringStart is what is known of an f-string when its quote has been read.
type fstringStart struct {
	quote string
	raw   bool
}

func (t token) String() string {
	switch t.kind {
	case tName, tInt, tFloat:
		return "'" + t.text + "'"
	case tEOF, tNewline, tString, tFString:
		return string(t.kind)
	case tIndent, tDedent:
		return "an " + string(t.kind)
	}
	return "'" + string(t.kind) + "'"
}

// isKeyword tells whether a name is reserved.
func isKeyword(s string) bool {
	switch s {
	case "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class",
		"continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global",
		"if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return",
		"try", "while", "with", "yield":
		return true
	}
	return false
}

// Error is a problem in the source.
type Error struct {
	Pos
	Msg  string
	Hint string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg) }
