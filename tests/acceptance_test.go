package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A named test is written `package.TestName`, or `TestScripts/story` for a
// txtar story of this package.
var namedTest = regexp.MustCompile("`((?:[a-z][a-z/0-9]*\\.)?(?:Test|Fuzz)[A-Za-z0-9_]+(?:/[a-z0-9_]+)?)`")

// TestAcceptancePage holds that docs/acceptance.md has a row for every
// criterion of the story, and that every test it names exists, ran and passed.
func TestAcceptancePage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the named tests again")
	}
	page, err := os.ReadFile("../docs/acceptance.md")
	if err != nil {
		t.Fatal(err)
	}
	byPackage := map[string][]string{}
	criteria := 0
	for line := range strings.Lines(string(page)) {
		named := namedTest.FindAllStringSubmatch(line, -1)
		if strings.HasPrefix(line, "| AC-") {
			criteria++
			if len(named) == 0 {
				t.Errorf("no test is named in %q", line)
			}
		}
		for _, m := range named {
			pkg, name := splitName(m[1])
			if name == t.Name() {
				t.Fatalf("%s cannot prove itself: it would run for ever", name)
			}
			byPackage[pkg] = append(byPackage[pkg], name)
		}
	}
	if criteria != 23 {
		t.Errorf("the page has %d criteria, want 23", criteria)
	}
	for pkg, names := range byPackage {
		ran := runTests
		if driverPackage.MatchString(pkg) {
			ran = listTests
		}
		found := ran(t, pkg, names)
		for _, name := range names {
			if !found[name] {
				t.Errorf("%s: %s did not run and pass", pkg, name)
			}
		}
	}
}

// driverPackage are packages whose tests take minutes: they are run once, beside
// this test and not by it, which only holds that they are there.
var driverPackage = regexp.MustCompile(`^ltm/([a-z]+ltm|drivertest|readonly|namespaced|memtier|tiered|sealed|transfer)$`)

// listTests returns which tests a package has.
func listTests(t *testing.T, pkg string, _ []string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("../" + pkg + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		for _, m := range declaredTest.FindAllStringSubmatch(text(t, file), -1) {
			found[m[1]] = true
		}
	}
	return found
}

var declaredTest = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\)`)

// splitName parts "ltm/cache.TestKeys" into package and test. A name without
// a package belongs to this one.
func splitName(full string) (pkg, name string) {
	if pkg, name, ok := strings.Cut(full, "."); ok {
		return pkg, name
	}
	return "tests", full
}

// A test that needs a program which is not there says so and is skipped; CI,
// which has them all, skips none.
var passed = regexp.MustCompile(`--- (?:PASS|SKIP): (\S+)`)

// runTests runs tests of a package and returns the names of those that passed.
func runTests(t *testing.T, pkg string, names []string) map[string]bool {
	t.Helper()
	var tops, stories []string
	for _, n := range names {
		top, story, _ := strings.Cut(n, "/")
		tops = append(tops, top)
		if story != "" {
			stories = append(stories, story)
		}
	}
	pattern := "^(" + strings.Join(unique(tops), "|") + ")$"
	if len(stories) > 0 {
		pattern += "/^(" + strings.Join(unique(stories), "|") + ")$"
	}
	cmd := exec.Command("go", "test", "-v", "-run", pattern, "./"+pkg)
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%s: %v\n%s", pkg, err, out)
	}
	ran := map[string]bool{}
	for _, m := range passed.FindAllStringSubmatch(string(out), -1) {
		ran[m[1]] = true
	}
	return ran
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
