package actions_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
)

func TestCodesAreAsDocumented(t *testing.T) {
	t.Parallel()
	rows := documentedCodes(t)
	if len(rows) != len(actions.Codes()) {
		t.Fatalf("%d codes documented, %d known", len(rows), len(actions.Codes()))
	}
	for i, code := range actions.Codes() {
		yes := map[bool]string{true: "yes", false: "no"}[code.Retryable()]
		got := fmt.Sprint(code, code.ExitCode(), code.HTTPStatus(), yes)
		if want := fmt.Sprint(actions.Code(rows[i][0]), atoi(t, rows[i][1]), atoi(t, rows[i][2]), rows[i][3]); got != want {
			t.Errorf("got %s, documented %s", got, want)
		}
	}
}

// documentedCodes reads the table in the comment of Code.
func documentedCodes(t *testing.T) [][]string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "code.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, decl := range file.Decls {
		if g, ok := decl.(*ast.GenDecl); ok && strings.HasPrefix(g.Doc.Text(), "Code says") {
			for line := range strings.Lines(g.Doc.Text()) {
				if cells := strings.Fields(line); strings.HasPrefix(line, "\t") && cells[0] != "code" {
					rows = append(rows, cells)
				}
			}
		}
	}
	return rows
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestErrorfWraps(t *testing.T) {
	t.Parallel()
	err := actions.Errorf(actions.CodeNotFound, "no file: %w", fs.ErrNotExist)
	if err.Error() != "no file: file does not exist" || !errors.Is(err, fs.ErrNotExist) || actions.CodeOf(err) != actions.CodeNotFound {
		t.Errorf("got %v", err)
	}
}

func TestCodeOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want actions.Code
	}{
		{nil, ""},
		{errors.New("x"), actions.CodeFailed},
		{context.Canceled, actions.CodeCanceled},
		{fmt.Errorf("x: %w", context.DeadlineExceeded), actions.CodeTimeout},
		{fmt.Errorf("x: %w", &actions.Error{Code: actions.CodeConflict}), actions.CodeConflict},
	} {
		if got := actions.CodeOf(c.err); got != c.want {
			t.Errorf("%v: got %s, want %s", c.err, got, c.want)
		}
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"said":     &actions.Error{Code: actions.CodeFailed, Message: "said", Err: fs.ErrExist},
		"conflict": &actions.Error{Code: actions.CodeConflict},
		"why":      &actions.Error{Code: actions.CodeFailed, Err: errors.New("why")},
	} {
		if err.Error() != want {
			t.Errorf("got %q, want %q", err, want)
		}
	}
}

func TestFailureResult(t *testing.T) {
	t.Parallel()
	got := actions.FailureResult(actions.Errorf(actions.CodeDenied, "<no>")).String()
	if want := `{"error":"<no>","error_type":"denied","success":false}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestOnlyTheEndOfTheRunIsFatal(t *testing.T) {
	t.Parallel()
	for _, c := range actions.Codes() {
		if want := c == actions.CodeReplayMiss || c == actions.CodeCanceled; c.Fatal() != want {
			t.Errorf("%s: got %v", c, c.Fatal())
		}
	}
	if got := actions.Code("odd").ExitCode(); got != 70 {
		t.Errorf("an unknown code exits with %d", got)
	}
}
