// Package params reads the parameters of a store's URL, for drivers: each by its
// kind, with one way to say what is wrong with it, and all at once.
//
//	p := params.Read(u)
//	p.Bool("readonly", &c.readOnly)
//	p.Duration("timeout", &c.timeout, params.Bounds{Least: time.Millisecond, Most: time.Hour})
//	return c, p.Err()
//
// What a URL does not say keeps the value it has.
package params

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm/driver"
)

// Reader reads the parameters of one URL.
type Reader struct {
	query url.Values
	errs  []error
}

// Read returns a reader of u's parameters. Of one that is given more than once
// the first counts.
func Read(u *url.URL) *Reader {
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		err = errors.New("the parameters cannot be read") // err would show them
	}
	r := &Reader{query: q}
	r.Check(err)
	return r
}

// Check takes note of an error, if there is one.
func (r *Reader) Check(err error) {
	if err != nil {
		r.errs = append(r.errs, err)
	}
}

// Err returns all that is wrong, wrapping driver.ErrConfig; nil: nothing is.
func (r *Reader) Err() error {
	if err := errors.Join(r.errs...); err != nil {
		return fmt.Errorf("%w: %w", driver.ErrConfig, err)
	}
	return nil
}

// Read hands a parameter's text to read, if the URL has it. The error says what
// it should be: "not " is put before it.
func (r *Reader) Read(name string, read func(text string) error) {
	if !r.query.Has(name) {
		return
	}
	text := r.query.Get(name)
	if err := read(text); err != nil {
		r.Check(fmt.Errorf("%s is %q, not %w", name, text, err))
	}
}

// Bool reads true or false.
func (r *Reader) Bool(name string, into *bool) {
	r.Read(name, func(text string) error {
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("true or false")
		}
		*into = b
		return nil
	})
}

// Int reads a whole number.
func (r *Reader) Int(name string, into *int, least, most int) {
	r.Read(name, func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < least || n > most {
			return fmt.Errorf("a number from %d to %d", least, most)
		}
		*into = n
		return nil
	})
}

// Bounds are those of a duration, both included.
type Bounds struct {
	Least, Most time.Duration
	// Unit is what a bare number counts; 0: a number needs a unit.
	Unit time.Duration
}

// Duration reads a duration such as 2s.
func (r *Reader) Duration(name string, into *time.Duration, b Bounds) {
	r.Read(name, func(text string) error {
		d, err := time.ParseDuration(text)
		if n, bad := strconv.ParseInt(text, 10, 32); bad == nil && b.Unit > 0 {
			d, err = time.Duration(n)*b.Unit, nil
		}
		if err != nil || d < b.Least || d > b.Most {
			return fmt.Errorf("a duration from %s to %s such as 2s", short(b.Least), short(b.Most))
		}
		*into = d
		return nil
	})
}

// short writes 1h for 1h0m0s.
func short(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-2]
		}
	}
	return s
}

// Size reads a number of bytes above 0, perhaps with a unit: 64MiB.
func (r *Reader) Size(name string, into *int64, most int64) {
	r.Read(name, func(text string) error {
		n, unit := number(text)
		if n <= 0 || unit == 0 || n > most/unit {
			return fmt.Errorf("a number of bytes up to %s such as 64MiB", inUnits(most))
		}
		*into = n * unit
		return nil
	})
}

// number splits a number from what its unit stands for, 0 for an unknown one.
func number(text string) (n, unit int64) {
	digits := strings.TrimRight(text, "BKMGikmgb")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, 0
	}
	units := map[string]int64{
		"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	}
	return n, units[text[len(digits):]]
}

// inUnits writes a size in the largest unit that it is a multiple of.
func inUnits(n int64) string {
	for _, unit := range []string{"GiB", "MiB", "KiB"} {
		if _, size := number("1" + unit); n%size == 0 {
			return strconv.FormatInt(n/size, 10) + unit
		}
	}
	return strconv.FormatInt(n, 10)
}

// OneOf reads one of some words.
func (r *Reader) OneOf(name string, into *string, known ...string) {
	r.Read(name, func(text string) error {
		if !slices.Contains(known, text) {
			hint := ""
			if s := diag.Suggest(text, known); s != "" {
				hint = fmt.Sprintf(", did you mean %q?", s)
			}
			return fmt.Errorf("one of %s%s", strings.Join(known, ", "), hint)
		}
		*into = text
		return nil
	})
}
