package textdiff

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func lines() *rapid.Generator[[]string] {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 14)
}

// longest is the length of the longest common subsequence, the slow way.
func longest(a, b []string) int {
	row := make([]int, len(b)+1)
	for i := range a {
		diagonal := 0
		for j := range b {
			above := row[j+1]
			if a[i] == b[j] {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(row[j+1], row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

func TestScriptLeadsFromOneToTheOtherByTheShortestWay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := lines().Draw(t, "a"), lines().Draw(t, "b")
		var fromA, toB []string
		kept := 0
		for _, l := range Script(a, b) {
			if l.Op != Insert {
				fromA = append(fromA, l.Text)
			}
			if l.Op != Delete {
				toB = append(toB, l.Text)
			}
			if l.Op == Keep {
				kept++
			}
		}
		if strings.Join(fromA, "") != strings.Join(a, "") || strings.Join(toB, "") != strings.Join(b, "") {
			t.Fatalf("%q → %q: the script leads from %q to %q", a, b, fromA, toB)
		}
		if want := longest(a, b); kept != want || Common(a, b) != want {
			t.Fatalf("%q → %q: kept %d, want %d", a, b, kept, want)
		}
	})
}

func TestScriptIsBounded(t *testing.T) {
	t.Parallel()
	a := strings.Split(strings.Repeat("x\n", 5000), "\n")
	b := strings.Split(strings.Repeat("y\n", 5000), "\n")
	if n := len(Script(a, b)); n != 10001 {
		t.Errorf("%d lines, want all of both and the empty one they share", n)
	}
}

// TestPatchUnderstandsUnified asks patch(1) to apply what Unified wrote.
func TestPatchUnderstandsUnified(t *testing.T) {
	t.Parallel()
	patch, err := exec.LookPath("patch")
	if err != nil {
		t.Skip("there is no patch(1)")
	}
	for _, c := range [][2]string{{"a b c d e f g h i j k", "a b c X e f g h i j"}, {"a", "b"}, {"a b c", "c"}, {"c", "a b c"}, {"a b c d e f g h i j", "b c d e f g h i j k"}} {
		a, b := strings.Fields(c[0]), strings.Fields(c[1])
		file := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(file, []byte(strings.Join(a, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(patch, file)
		cmd.Stdin = strings.NewReader("--- f\n+++ f\n" + Unified(Script(a, b), 3, 200) + "\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", c, err, out)
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != strings.Join(b, "\n")+"\n" {
			t.Errorf("%v: patch made %q, %v", c, got, err)
		}
	}
}

func TestUnified(t *testing.T) {
	t.Parallel()
	a, b := strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"), strings.Fields("1 2 3 4 five 6 7 8 9 10 11 12 13 14 15 16")
	want := "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n@@ -13,3 +13,4 @@\n 13\n 14\n 15\n+16"
	if got := Unified(Script(a, b), 3, 200); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Unified(Script(a, b), 3, 5); strings.Count(got, "\n") != 4 || !strings.HasSuffix(got, "… and 10 more lines") {
		t.Errorf("cut to 5 lines:\n%s", got)
	}
	if got := Unified(Script(a, a), 3, 5); got != "" {
		t.Errorf("equal texts: %q", got)
	}
}
