package schema

import "strings"

// The codes of problems.
const (
	CodeUnknownKey = "unknown_key"
	CodeMissing    = "missing"
	CodeType       = "type"
	CodeEnum       = "enum"
	CodeRange      = "range"
	CodeSecret     = "secret"
	CodeRender     = "render"
)

// Problem is one thing that is wrong with a value.
type Problem struct {
	// Path leads from the checked value to the place: keys of objects and
	// indices of lists. For a missing key it is the object that lacks it.
	Path []string
	// Code is stable and short; for machines.
	Code string
	// Message says what is wrong, without the path and without a final point.
	Message string
	// Hint says what would mend it, or is "".
	Hint string
	// Key tells that the key at the end of Path is wrong, not its value.
	Key bool
}

// String returns "path: message (hint)".
func (p Problem) String() string {
	text := p.Message
	if len(p.Path) > 0 && !p.Key {
		text = strings.Join(p.Path, ".") + ": " + text
	} else if len(p.Path) > 1 {
		text = strings.Join(p.Path[:len(p.Path)-1], ".") + ": " + text
	}
	if p.Hint != "" {
		text += " (" + p.Hint + ")"
	}
	return text
}

// Problems is all that is wrong with a value. As an error it shows every one.
type Problems []Problem

// Error returns all problems, separated by semicolons.
func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.String()
	}
	return strings.Join(lines, "; ")
}

// Err returns p as an error when there is any problem, else nil.
func (p Problems) Err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
