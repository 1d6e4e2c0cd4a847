package hostmod

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/actions/run/python/object"
)

func stringModule() *object.Module {
	const lower, digits = "abcdefghijklmnopqrstuvwxyz", "0123456789"
	const punct, space = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", " \t\n\r\v\f"
	upper := strings.ToUpper(lower)
	members := map[string]obj{}
	for name, s := range map[string]string{
		"ascii_lowercase": lower, "ascii_uppercase": upper, "ascii_letters": lower + upper, "digits": digits,
		"hexdigits": digits + "abcdefABCDEF", "octdigits": "01234567", "punctuation": punct, "whitespace": space,
		"printable": digits + lower + upper + punct + space,
	} {
		members[name] = object.NewConst(s)
	}
	return module("string", map[string]fn{"capwords": capwords}, members)
}

func capwords(t *thread, a args) (obj, error) {
	s, err := bindStr(a, "capwords", "s")
	if err != nil {
		return nil, err
	}
	words := strings.Fields(s)
	for i, w := range words {
		r, n := utf8.DecodeRuneInString(w)
		words[i] = strings.ToUpper(string(r)) + strings.ToLower(w[n:])
	}
	return t.Str(strings.Join(words, " "))
}

func textwrapModule() *object.Module {
	return module("textwrap", map[string]fn{
		"dedent": twDedent, "indent": twIndent, "wrap": twWrap, "fill": twFill, "shorten": twShorten,
	}, nil)
}

func twDedent(t *thread, a args) (obj, error) {
	s, err := bindStr(a, "dedent", "text")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(s, "\n")
	margin, found := "", false
	for i, l := range lines {
		body := strings.TrimLeft(l, " \t")
		if body == "" {
			lines[i] = ""
			continue
		}
		lead := l[:len(l)-len(body)]
		if !found {
			margin, found = lead, true
		}
		for !strings.HasPrefix(lead, margin) {
			margin = margin[:len(margin)-1]
		}
	}
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, margin)
	}
	return t.Str(strings.Join(lines, "\n"))
}

func twIndent(t *thread, a args) (obj, error) {
	var x, p obj
	if err := a.Bind("indent", "text prefix", &x, &p); err != nil {
		return nil, err
	}
	s, err := strArg(x, "indent")
	if err != nil {
		return nil, err
	}
	prefix, err := strArg(p, "indent")
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(s, "\n")
	if err := t.AllocN(len(lines), len(prefix)); err != nil {
		return nil, err
	}
	for i, l := range lines {
		if strings.TrimSpace(l) != "" {
			lines[i] = prefix + l
		}
	}
	return t.Str(strings.Join(lines, ""))
}

// wrapping is how wrap, fill and shorten break lines.
type wrapping struct {
	text, first, rest string
	width             int
	placeholder       string
}

func wrapArgs(name string, a args) (w wrapping, err error) {
	var x, width, first, rest, placeholder obj
	spec := "text width? * initial_indent? subsequent_indent? placeholder?"
	if err = a.Bind(name, spec, &x, &width, &first, &rest, &placeholder); err != nil {
		return w, err
	}
	if w.text, err = strArg(x, name); err != nil {
		return w, err
	}
	if w.width, err = intOr(width, 70); err != nil {
		return w, err
	}
	if w.width <= 0 {
		return w, object.ValueErrorf("invalid width %d (must be > 0)", w.width)
	}
	w.placeholder = " [...]"
	for _, o := range []struct {
		from obj
		to   *string
	}{{first, &w.first}, {rest, &w.rest}, {placeholder, &w.placeholder}} {
		if o.from != nil {
			if *o.to, err = strArg(o.from, name); err != nil {
				return w, err
			}
		}
	}
	return w, nil
}

// lines breaks the text at white space; a word longer than a line is cut.
func (w wrapping) lines(t *thread) ([]string, error) {
	var out []string
	line, n := w.first, utf8.RuneCountInString(w.first)
	empty := true
	flush := func() error {
		out = append(out, line)
		line, n, empty = w.rest, utf8.RuneCountInString(w.rest), true
		return t.Alloc(int64(len(out[len(out)-1]) + 64))
	}
	for _, word := range breakable(w.text) {
		size := utf8.RuneCountInString(word.text)
		gap := 0
		if !empty && word.spaced {
			gap = 1
		}
		if !empty && n+gap+size > w.width {
			if err := flush(); err != nil {
				return nil, err
			}
			gap = 0
		}
		text := word.text
		for n+gap+size > w.width && size > 1 {
			room := max(w.width-n, 1)
			cut := len(string([]rune(text)[:min(room, size)]))
			line += text[:cut]
			text = text[cut:]
			size = utf8.RuneCountInString(text)
			empty = false
			if size == 0 {
				break
			}
			if err := flush(); err != nil {
				return nil, err
			}
		}
		if text == "" {
			n = utf8.RuneCountInString(line)
			continue
		}
		line += strings.Repeat(" ", gap) + text
		n += gap + size
		empty = false
	}
	if !empty {
		out = append(out, line)
	}
	return out, nil
}

type piece struct {
	text   string
	spaced bool // white space stands before it
}

// breakable splits text into words, and hyphenated words after their hyphens.
func breakable(s string) []piece {
	var out []piece
	for _, w := range strings.Fields(s) {
		spaced := true
		runes := []rune(w)
		start := 0
		for i := 1; i+1 < len(runes); i++ {
			if runes[i] == '-' && isLetter(runes[i-1]) && isLetter(runes[i+1]) && i-start >= 2 && i+2 < len(runes) {
				out = append(out, piece{string(runes[start : i+1]), spaced})
				start, spaced = i+1, false
			}
		}
		out = append(out, piece{string(runes[start:]), spaced})
	}
	return out
}

func isLetter(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0x80 }

func twWrap(t *thread, a args) (obj, error) {
	w, err := wrapArgs("wrap", a)
	if err != nil {
		return nil, err
	}
	lines, err := w.lines(t)
	if err != nil {
		return nil, err
	}
	return t.Strings(lines)
}

func twFill(t *thread, a args) (obj, error) {
	w, err := wrapArgs("fill", a)
	if err != nil {
		return nil, err
	}
	lines, err := w.lines(t)
	if err != nil {
		return nil, err
	}
	return t.Str(strings.Join(lines, "\n"))
}

func twShorten(t *thread, a args) (obj, error) {
	w, err := wrapArgs("shorten", a)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(w.text)
	text := strings.Join(words, " ")
	if utf8.RuneCountInString(text) <= w.width {
		return t.Str(text)
	}
	mark := utf8.RuneCountInString(w.placeholder)
	if mark > w.width && utf8.RuneCountInString(strings.TrimSpace(w.placeholder)) > w.width {
		return nil, object.ValueErrorf("placeholder too large for max width")
	}
	for len(words) > 0 {
		words = words[:len(words)-1]
		text = strings.Join(words, " ")
		if len(words) > 0 && utf8.RuneCountInString(text)+mark <= w.width {
			return t.Str(text + w.placeholder)
		}
		if err := t.Work(len(text) / 4); err != nil {
			return nil, err
		}
	}
	return t.Str(strings.TrimSpace(w.placeholder))
}

func statisticsModule() *object.Module {
	return module("statistics", map[string]fn{
		"mean": stMean, "fmean": stFmean, "median": stMedian("median", 0), "median_low": stMedian("median_low", -1),
		"median_high": stMedian("median_high", 1), "mode": stMode,
		"stdev": stSpread("stdev", 1, true), "pstdev": stSpread("pstdev", 0, true),
		"variance": stSpread("variance", 1, false), "pvariance": stSpread("pvariance", 0, false),
	}, map[string]obj{"StatisticsError": object.Type("StatisticsError")})
}

func stData(t *thread, a args, name string, least int) ([]obj, error) {
	var x obj
	if err := a.Bind(name, "data", &x); err != nil {
		return nil, err
	}
	items, err := object.Collect(t, x)
	if err == nil && len(items) < least {
		if least == 2 {
			return nil, object.Errorf("StatisticsError", "%s requires at least two data points", name)
		}
		return nil, object.Errorf("StatisticsError", "%s requires at least one data point", name)
	}
	return items, err
}

// quotient divides, giving an integer where the division is exact.
func quotient(t *thread, sum obj, n int) (obj, error) {
	if _, ok := object.BigOf(sum); ok {
		rem, err := object.Binary(t, object.Mod, sum, object.Int(n))
		if err != nil {
			return nil, err
		}
		if !object.Truth(rem) {
			return object.Binary(t, object.FloorDiv, sum, object.Int(n))
		}
	}
	return object.Binary(t, object.Div, sum, object.Int(n))
}

func stMean(t *thread, a args) (obj, error) {
	items, err := stData(t, a, "mean", 1)
	if err != nil {
		return nil, err
	}
	var sum obj = object.Int(0)
	for _, v := range items {
		if _, isFloat := v.(object.Float); isFloat {
			fs, err := floatsOf(t, object.NewTuple(items...))
			if err != nil {
				return nil, err
			}
			return object.Float(exactSum(fs) / float64(len(fs))), nil
		}
		if sum, err = object.Binary(t, object.Add, sum, v); err != nil {
			return nil, err
		}
	}
	return quotient(t, sum, len(items))
}

func stFmean(t *thread, a args) (obj, error) {
	items, err := stData(t, a, "fmean", 1)
	if err != nil {
		return nil, err
	}
	fs, err := floatsOf(t, object.NewTuple(items...))
	if err != nil {
		return nil, err
	}
	return object.Float(exactSum(fs) / float64(len(fs))), nil
}

func stMedian(name string, side int) fn {
	return func(t *thread, a args) (obj, error) {
		items, err := stData(t, a, name, 0)
		if err == nil && len(items) == 0 {
			err = object.Errorf("StatisticsError", "no median for empty data")
		}
		if err == nil {
			err = object.Sort(t, items, nil, false)
		}
		if err != nil {
			return nil, err
		}
		half := len(items) / 2
		switch {
		case len(items)%2 == 1 || side > 0:
			return items[half], nil
		case side < 0:
			return items[half-1], nil
		}
		sum, err := object.Binary(t, object.Add, items[half-1], items[half])
		if err != nil {
			return nil, err
		}
		return object.Binary(t, object.Div, sum, object.Int(2))
	}
}

func stMode(t *thread, a args) (obj, error) {
	items, err := stData(t, a, "mode", 1)
	if err != nil {
		return nil, err
	}
	c := object.NewDict("Counter")
	if err := c.Count(t, args{Pos: []obj{object.NewTuple(items...)}}, false); err != nil {
		return nil, err
	}
	pairs, err := c.MostCommon(t)
	if err != nil {
		return nil, err
	}
	return object.GetItem(t, pairs[0], object.Int(0))
}

func stSpread(name string, lost int, root bool) fn {
	return func(t *thread, a args) (obj, error) {
		items, err := stData(t, a, name, 1+lost)
		if err != nil {
			return nil, err
		}
		fs, err := floatsOf(t, object.NewTuple(items...))
		if err != nil {
			return nil, err
		}
		mean := exactSum(fs) / float64(len(fs))
		squares := slices.Clone(fs)
		for i, f := range fs {
			squares[i] = (f - mean) * (f - mean)
		}
		v := exactSum(squares) / float64(len(fs)-lost)
		if root {
			return object.Float(math.Sqrt(v)), nil
		}
		return spreadOf(items, v), nil
	}
}

// spreadOf is a variance, an integer for integers where it is whole.
func spreadOf(items []obj, v float64) obj {
	for _, o := range items {
		if _, ok := object.BigOf(o); !ok {
			return object.Float(v)
		}
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return object.Int(v)
	}
	return object.Float(v)
}
