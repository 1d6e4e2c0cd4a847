package hostmod

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/actions/run/python/object"
	"github.com/tea-agents/tea/value"
)

func jsonLoads(t *thread, a args) (obj, error) {
	var x obj
	if err := a.Bind("loads", "s /", &x); err != nil {
		return nil, err
	}
	var text string
	switch x := x.(type) {
	case *object.Str:
		text = x.Text()
	case object.Bytes:
		text = string(x)
	default:
		return nil, object.TypeErrorf("the JSON object must be str, bytes or bytearray, not %s", x.TypeName())
	}
	if err := t.Work(len(text)); err != nil {
		return nil, err
	}
	l := loader{t: t, text: text, dec: json.NewDecoder(strings.NewReader(text))}
	l.dec.UseNumber()
	v, err := l.value()
	if err != nil {
		return nil, l.explain(err)
	}
	if rest := l.dec.InputOffset(); strings.TrimSpace(text[rest:]) != "" {
		start := len(text) - len(strings.TrimLeft(text[rest:], " \t\r\n"))
		return nil, l.failAt("Extra data", start)
	}
	return v, nil
}

// loader reads JSON, keeping the order of keys as Python does.
type loader struct {
	t    *thread
	text string
	dec  *json.Decoder
}

func (l *loader) value() (obj, error) {
	tok, err := l.dec.Token()
	if err != nil {
		return nil, err
	}
	if err := l.t.Step(1); err != nil {
		return nil, err
	}
	if err := l.t.Alloc(64); err != nil {
		return nil, err
	}
	switch tok := tok.(type) {
	case bool:
		return object.Bool(tok), nil
	case string:
		return l.t.Str(tok)
	case json.Number:
		if len(tok) > object.MaxIntDigits {
			return nil, object.ValueErrorf("Exceeds the limit (%d digits) for integer string conversion", object.MaxIntDigits)
		}
		v, err := value.Number(string(tok))
		return object.FromValue(v), err
	case json.Delim:
		if err := l.t.Descend("while decoding JSON"); err != nil {
			return nil, err
		}
		defer l.t.Ascend()
		if tok == '[' {
			return l.list()
		}
		return l.dict()
	}
	return object.None(), nil
}

func (l *loader) list() (obj, error) {
	out := object.NewList(nil)
	for l.dec.More() {
		v, err := l.value()
		if err != nil {
			return nil, err
		}
		if err := out.Append(l.t, v); err != nil {
			return nil, err
		}
	}
	_, err := l.dec.Token()
	return out, err
}

func (l *loader) dict() (obj, error) {
	out := object.NewDict("dict")
	for l.dec.More() {
		tok, err := l.dec.Token()
		if err != nil {
			return nil, err
		}
		v, err := l.value()
		if err != nil {
			return nil, err
		}
		if err := out.PutStr(l.t, fmt.Sprint(tok), v); err != nil {
			return nil, err
		}
	}
	_, err := l.dec.Token()
	return out, err
}

// explain turns an error of the decoder into Python's.
func (l *loader) explain(err error) error {
	var e *object.Exception
	if errors.As(err, &e) {
		return err
	}
	var se *json.SyntaxError
	at := int(l.dec.InputOffset())
	if errors.As(err, &se) {
		at = max(int(se.Offset)-1, at)
	} else if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		at = len(l.text)
	}
	at = min(at, len(l.text))
	for at < len(l.text) && bytes.IndexByte([]byte(" \t\r\n"), l.text[at]) >= 0 {
		at++
	}
	before := strings.TrimRight(l.text[:at], " \t\r\n")
	switch {
	case strings.HasSuffix(before, "{"):
		return l.failAt("Expecting property name enclosed in double quotes", at)
	case se == nil || before == "" || strings.IndexByte("[,:", before[len(before)-1]) >= 0 || strings.Contains(se.Error(), "beginning of value"):
		return l.failAt("Expecting value", at)
	}
	return l.failAt("Invalid JSON ("+se.Error()+")", at)
}

func (l *loader) failAt(reason string, at int) error {
	before := l.text[:at]
	line := strings.Count(before, "\n") + 1
	col := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return object.Errorf("JSONDecodeError", "%s: line %d column %d (char %d)", reason, line, col, utf8.RuneCountInString(before))
}
