package content

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// CSV is a dialect of comma-separated values. The zero CSV has commas and no
// header.
type CSV struct {
	Delimiter rune     // 0 is a comma
	Header    bool     // the first record names the columns
	Columns   []string // names of the columns: to read text without a header, or to choose and order what is written
}

// Table is what CSV text holds.
type Table struct {
	Headers []string // nil when the columns have no names
	Rows    []value.Value
}

// Delimiter reads the name of a delimiter: one character, or \t or tab.
func Delimiter(name string) (rune, error) {
	if name == `\t` || name == "tab" {
		return '\t', nil
	}
	r, size := utf8.DecodeRuneInString(name)
	if size != len(name) || r == utf8.RuneError || strings.ContainsRune("\"\r\n", r) {
		return 0, fmt.Errorf("the delimiter must be one character or tab, got %q", name)
	}
	return r, nil
}

func (c CSV) comma() rune {
	if c.Delimiter == 0 {
		return ','
	}
	return c.Delimiter
}

// Parse reads text. With named columns a row is an object of strings, else a
// list. Every record must have as many fields as the first one. Empty lines are
// left out, and line ends inside fields become \n.
func (c CSV) Parse(text string) (Table, error) {
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	r.Comma = c.comma()
	table := Table{Headers: c.Columns, Rows: []value.Value{}}
	if c.Header {
		first, err := r.Read()
		if err != nil && !errors.Is(err, io.EOF) {
			return table, csvError(r, err)
		}
		if len(c.Columns) == 0 {
			table.Headers = append([]string{}, first...)
		}
	}
	if err := distinct(table.Headers); err != nil {
		return table, err
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return table, nil
		}
		if err != nil {
			return table, csvError(r, err)
		}
		if table.Headers != nil && len(record) != len(table.Headers) {
			line, _ := r.FieldPos(0)
			return table, fmt.Errorf("CSV line %d has %d fields, expected %d", line, len(record), len(table.Headers))
		}
		table.Rows = append(table.Rows, row(table.Headers, record))
	}
}

func csvError(r *csv.Reader, err error) error {
	var pe *csv.ParseError
	if !errors.As(err, &pe) {
		return fmt.Errorf("CSV: %w", err)
	}
	if errors.Is(pe.Err, csv.ErrFieldCount) {
		return fmt.Errorf("CSV line %d has not as many fields as the first one, which has %d", pe.Line, r.FieldsPerRecord)
	}
	return fmt.Errorf("CSV line %d, column %d: %w", pe.Line, pe.Column, pe.Err)
}

func distinct(names []string) error {
	seen := map[string]bool{}
	for _, name := range names {
		if seen[name] {
			return fmt.Errorf("the CSV column %q is there twice", name)
		}
		seen[name] = true
	}
	return nil
}

func row(headers, record []string) value.Value {
	if headers == nil {
		items := make([]value.Value, len(record))
		for i, field := range record {
			items[i] = value.String(field)
		}
		return value.List(items...)
	}
	members := make([]value.Member, len(record))
	for i, field := range record {
		members[i] = value.M(headers[i], value.String(field))
	}
	return value.Object(members...)
}

// Format writes rows: objects, or lists of cells. The columns of objects are
// c.Columns, else all keys, sorted. Null is an empty cell, strings are written
// as they are, lists and objects as JSON, everything else as in JSON.
func (c CSV) Format(rows []value.Value) (string, error) {
	columns := c.Columns
	if columns == nil {
		columns = allKeys(rows)
	}
	var out strings.Builder
	w := csv.NewWriter(&out)
	w.Comma = c.comma()
	write := func(record []string) error {
		if err := w.Write(record); err != nil {
			return fmt.Errorf("CSV: %w", err)
		}
		if len(record) == 1 && record[0] == "" { // else it would read as no record
			w.Flush()
			text := strings.TrimSuffix(out.String(), "\n")
			out.Reset()
			out.WriteString(text + "\"\"\n")
		}
		return nil
	}
	if c.Header && len(columns) > 0 {
		if err := write(columns); err != nil {
			return "", err
		}
	}
	for i, r := range rows {
		record, err := cells(r, columns)
		if err == nil {
			err = write(record)
		}
		if err != nil {
			return "", fmt.Errorf("row %d: %w", i, err)
		}
	}
	w.Flush()
	return out.String(), w.Error()
}

func allKeys(rows []value.Value) []string {
	seen := map[string]bool{}
	var keys []string
	for _, r := range rows {
		for key := range r.Members() {
			if !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

func cells(r value.Value, columns []string) ([]string, error) {
	var record []string
	switch r.Kind() {
	case value.KindObject:
		for _, name := range columns {
			v, _ := r.Get(name)
			record = append(record, cell(v))
		}
	case value.KindList:
		for _, v := range r.Items() {
			record = append(record, cell(v))
		}
		if columns != nil && len(record) != len(columns) {
			return nil, fmt.Errorf("has %d cells for %d columns", len(record), len(columns))
		}
	default:
		return nil, fmt.Errorf("is a %s; a row is an object or a list", r.Kind())
	}
	return record, r.Check()
}

func cell(v value.Value) string {
	if v.IsNull() {
		return ""
	}
	if s, ok := v.AsString(); ok {
		return s
	}
	return v.String()
}
