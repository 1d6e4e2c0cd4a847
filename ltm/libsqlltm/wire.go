package libsqlltm

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

// statement is SQL with its arguments.
type statement struct {
	SQL      string `json:"sql"`
	Args     []cell `json:"args,omitempty"`
	WantRows bool   `json:"want_rows"`
}

// sql returns a statement. The arguments are integers, texts, booleans or bytes.
func sql(text string, args ...any) statement {
	s := statement{SQL: text, WantRows: true, Args: make([]cell, len(args))}
	for i, a := range args {
		s.Args[i] = toCell(a)
	}
	return s
}

// cell is a value of SQL as the wire has it.
type cell struct {
	Type   string  `json:"type"`
	Value  any     `json:"value,omitempty"`  // a text also for an integer
	Base64 *string `json:"base64,omitempty"` // of a blob
}

func toCell(a any) cell {
	switch a := a.(type) {
	case int64:
		return cell{Type: "integer", Value: strconv.FormatInt(a, 10)}
	case int:
		return toCell(int64(a))
	case bool:
		if a {
			return toCell(int64(1))
		}
		return toCell(int64(0))
	case []byte:
		text := base64.RawStdEncoding.EncodeToString(a)
		return cell{Type: "blob", Base64: &text}
	default:
		return cell{Type: "text", Value: a}
	}
}

// scan reads a cell into *int64, *string or *[]byte. A text is bytes, too.
func (c *cell) scan(into any) error {
	text, isText := c.Value.(string)
	switch into := into.(type) {
	case *int64:
		if c.Type == "integer" {
			n, err := strconv.ParseInt(text, 10, 64)
			*into = n
			return err
		}
	case *string:
		if c.Type == "text" && isText {
			*into = text
			return nil
		}
	case *[]byte:
		switch {
		case c.Type == "text" && isText:
			*into = []byte(text)
			return nil
		case c.Type == "blob" && c.Base64 != nil:
			b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(*c.Base64, "="))
			*into = b
			return err
		}
	}
	return fmt.Errorf("it cannot be read as %T", into)
}

// result is what a statement led to.
type result struct {
	Rows    [][]cell `json:"rows"`
	Changed int64    `json:"affected_row_count"`
}

// scan reads a row.
func scan(row []cell, into ...any) error {
	if len(row) != len(into) {
		return fmt.Errorf("%w: a row of %d columns instead of %d", errAnswer, len(row), len(into))
	}
	for i := range row {
		if err := row[i].scan(into[i]); err != nil { //nolint:gosec // they are of equal length
			return fmt.Errorf("%w: column %d is %s: %w", errAnswer, i+1, row[i].Type, err)
		}
	}
	return nil
}

// row returns the row of a result that has one.
func (r *result) row() ([]cell, error) {
	if len(r.Rows) != 1 {
		return nil, fmt.Errorf("%w: %d rows instead of one", errAnswer, len(r.Rows))
	}
	return r.Rows[0], nil
}

// number reads a result of one row with one integer.
func (r *result) number() (n int64, err error) {
	row, err := r.row()
	if err != nil {
		return 0, err
	}
	err = scan(row, &n)
	return n, err
}

// step is a statement of a batch and when it is run: always, if it is nil.
type step struct {
	Stmt statement  `json:"stmt"`
	If   *condition `json:"condition,omitempty"`
}

// condition is that a step of the batch went well, or that it did not.
type condition struct {
	Type string     `json:"type"` // ok or not
	Step *int       `json:"step,omitempty"`
	Cond *condition `json:"cond,omitempty"`
}

func ok(step int) *condition { return &condition{Type: "ok", Step: &step} }

// sequence returns a batch that ends with the first error.
func sequence(statements []statement) []step {
	steps := make([]step, len(statements))
	for i, s := range statements {
		steps[i].Stmt = s
		if i > 0 {
			steps[i].If = ok(i - 1)
		}
	}
	return steps
}

// request is what is sent: a batch, and maybe the end of its stream.
type request struct {
	Baton    *string  `json:"baton"`
	Requests []action `json:"requests"`
}

type action struct {
	Type  string `json:"type"` // batch or close
	Batch *batch `json:"batch,omitempty"`
}

type batch struct {
	Steps []step `json:"steps"`
}

// response is the answer to a request.
type response struct {
	Baton   *string `json:"baton"`
	BaseURL *string `json:"base_url"`
	Results []struct {
		Response struct {
			Result batchResult `json:"result"`
		} `json:"response"`
		Error *serverError `json:"error"`
	} `json:"results"`
}

// batchResult has an entry for each step: a result, an error, or neither where
// it was not run.
type batchResult struct {
	Results []*result      `json:"step_results"`
	Errors  []*serverError `json:"step_errors"`
}
