package agenttest

import (
	"encoding/xml"
	"io"
	"strings"
)

// The elements of a JUnit report, as CI systems read it.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Time     float64     `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr"`
		Line    int           `xml:"line,attr"`
		Time    float64       `xml:"time,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes results as a JUnit report: one suite for each file, in the
// order in which they come. Times are in seconds.
func WriteJUnit(w io.Writer, results []Result) error {
	var report junitSuites
	var last *Suite
	for _, r := range results {
		if r.Suite != last {
			report.Suites = append(report.Suites, junitSuite{Name: r.Suite.File})
			last = r.Suite
		}
		suite := &report.Suites[len(report.Suites)-1]
		suite.add(r)
		report.Tests++
		if !r.Passed() {
			report.Failures++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(report); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) add(r Result) {
	c := junitCase{
		Class: strings.TrimSuffix(r.Suite.File, Ending), Name: r.Case.Name,
		File: r.Case.Pos.File, Line: r.Case.Pos.Line, Time: r.Duration.Seconds(),
	}
	if !r.Passed() {
		s.Failures++
		lines := make([]string, len(r.Failures))
		for i, f := range r.Failures {
			lines[i] = f.String()
		}
		c.Failure = &junitFailure{Message: r.Failures[0].Message, Text: strings.Join(lines, "\n")}
	}
	s.Tests++
	s.Time += c.Time
	s.Cases = append(s.Cases, c)
}
