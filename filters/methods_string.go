package filters

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

func stringMethods() []*method {
	var out []*method
	add := func(name, signature string, run func(s string, a Args) (value.Value, error)) {
		out = append(out, &method{name: name, signature: signature, on: value.KindString,
			run: func(_ *env, x value.Value, a Args) (value.Value, error) { return run(x.Text(), a) }})
	}
	for name, convert := range map[string]func(string) string{
		"lower": strings.ToLower, "upper": strings.ToUpper, "casefold": strings.ToLower,
		"title": pythonTitle, "capitalize": capitalize, "swapcase": swapCase,
	} {
		add(name, "", func(s string, _ Args) (value.Value, error) { return value.String(convert(s)), nil })
	}
	for name, is := range map[string]func(string) bool{
		"isdigit": allRunes(unicode.IsDigit), "isnumeric": allRunes(unicode.IsNumber), "isdecimal": allRunes(unicode.IsDigit),
		"isalpha": allRunes(unicode.IsLetter), "isspace": allRunes(unicode.IsSpace),
		"isalnum": allRunes(func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }),
		"islower": func(s string) bool { return s == strings.ToLower(s) && s != strings.ToUpper(s) },
		"isupper": func(s string) bool { return s == strings.ToUpper(s) && s != strings.ToLower(s) },
	} {
		add(name, "", func(s string, _ Args) (value.Value, error) { return value.Bool(is(s)), nil })
	}
	add("strip", "(chars=none)", stripper(true, true))
	add("lstrip", "(chars=none)", stripper(true, false))
	add("rstrip", "(chars=none)", stripper(false, true))
	add("split", "(sep=none, maxsplit=-1)", split)
	add("rsplit", "(sep=none, maxsplit=-1)", rsplit)
	add("splitlines", "()", func(s string, _ Args) (value.Value, error) { return stringList(splitLines(s)) })
	add("startswith", "(prefix)", affix(strings.HasPrefix))
	add("endswith", "(suffix)", affix(strings.HasSuffix))
	add("removeprefix", "(prefix)", trimmed(strings.TrimPrefix))
	add("removesuffix", "(suffix)", trimmed(strings.TrimSuffix))
	add("replace", "(old, new, count=-1)", replaceMethod)
	add("join", "(items)", func(s string, a Args) (value.Value, error) {
		items, err := elements(a.Value("items"))
		if err != nil {
			return value.Null(), err
		}
		return joined(s, items)
	})
	add("find", "(sub)", finder(strings.Index, false))
	add("rfind", "(sub)", finder(strings.LastIndex, false))
	add("index", "(sub)", finder(strings.Index, true))
	add("rindex", "(sub)", finder(strings.LastIndex, true))
	add("count", "(sub)", func(s string, a Args) (value.Value, error) {
		sub, err := a.Text("sub")
		return value.Int(int64(strings.Count(s, sub))), err
	})
	add("partition", "(sep)", partition(strings.Index, false))
	add("rpartition", "(sep)", partition(strings.LastIndex, true))
	add("zfill", "(width)", zfill)
	add("ljust", "(width, fill=' ')", justify(0))
	add("rjust", "(width, fill=' ')", justify(1))
	add("center", "(width, fill=' ')", justify(2))
	add("format", "(*args, **named)", formatMethod)
	return out
}

func stringList(parts []string) (value.Value, error) {
	if len(parts) > MaxItems {
		return value.Null(), errTooMany()
	}
	items := make([]value.Value, len(parts))
	for i, p := range parts {
		items[i] = value.String(p)
	}
	return value.List(items...), nil
}

func allRunes(is func(rune) bool) func(string) bool {
	return func(s string) bool {
		return s != "" && strings.IndexFunc(s, func(r rune) bool { return !is(r) }) < 0
	}
}

// capitalize makes the first letter large and all others small.
func capitalize(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToTitle(r)) + strings.ToLower(s[n:])
}

// pythonTitle is str.title: a letter behind none is large.
func pythonTitle(s string) string {
	letter := false
	return strings.Map(func(r rune) rune {
		was := letter
		letter = unicode.IsLetter(r)
		if was {
			return unicode.ToLower(r)
		}
		return unicode.ToTitle(r)
	}, s)
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, s)
}

func stripper(left, right bool) func(string, Args) (value.Value, error) {
	return func(s string, a Args) (value.Value, error) {
		cut := unicode.IsSpace
		if !a.Value("chars").IsNull() {
			chars, err := a.Text("chars")
			if err != nil {
				return value.Null(), err
			}
			cut = func(r rune) bool { return strings.ContainsRune(chars, r) }
		}
		if left {
			s = strings.TrimLeftFunc(s, cut)
		}
		if right {
			s = strings.TrimRightFunc(s, cut)
		}
		return value.String(s), nil
	}
}

// separator returns the arguments of split. A sep of "" stands for white space.
func separator(a Args) (sep string, most int, err error) {
	if !a.Value("sep").IsNull() {
		if sep, err = a.Text("sep"); err == nil && sep == "" {
			err = failf("the separator must not be empty")
		}
		if err != nil {
			return "", 0, err
		}
	}
	most, err = a.Int("maxsplit")
	return sep, most, err
}

func split(s string, a Args) (value.Value, error) {
	sep, most, err := separator(a)
	if err != nil {
		return value.Null(), err
	}
	if sep == "" {
		return stringList(splitSpace(s, most))
	}
	if most < 0 {
		return stringList(strings.Split(s, sep))
	}
	return stringList(strings.SplitN(s, sep, min(most, MaxItems)+1))
}

// splitSpace splits at runs of white space, at most so many times if most is
// not negative.
func splitSpace(s string, most int) []string {
	if most < 0 {
		return strings.Fields(s)
	}
	var parts []string
	for s = strings.TrimLeftFunc(s, unicode.IsSpace); s != ""; s = strings.TrimLeftFunc(s, unicode.IsSpace) {
		i := strings.IndexFunc(s, unicode.IsSpace)
		if len(parts) == most || i < 0 {
			return append(parts, s)
		}
		parts = append(parts, s[:i])
		s = s[i:]
	}
	return parts
}

func rsplit(s string, a Args) (value.Value, error) {
	sep, most, err := separator(a)
	if err != nil {
		return value.Null(), err
	}
	if most < 0 {
		return split(s, a)
	}
	var tail []string
	for ; most > 0; most-- {
		var i, n int
		if sep == "" {
			s = strings.TrimRightFunc(s, unicode.IsSpace)
			i = strings.LastIndexFunc(s, unicode.IsSpace)
			_, n = utf8.DecodeRuneInString(s[max(i, 0):])
		} else {
			i, n = strings.LastIndex(s, sep), len(sep)
		}
		if i < 0 {
			break
		}
		tail = append(tail, s[i+n:])
		s = s[:i]
	}
	if sep == "" {
		s = strings.TrimSpace(s)
	}
	if sep != "" || s != "" {
		tail = append(tail, s)
	}
	for i, j := 0, len(tail)-1; i < j; i, j = i+1, j-1 {
		tail[i], tail[j] = tail[j], tail[i]
	}
	return stringList(tail)
}

// affix is startswith or endswith; a list of strings means any of them.
func affix(has func(s, x string) bool) func(string, Args) (value.Value, error) {
	return func(s string, a Args) (value.Value, error) {
		name := a.params.list[0].name
		candidates := []value.Value{a.Value(name)}
		if candidates[0].Kind() == value.KindList {
			candidates, _ = elements(candidates[0])
		}
		found := false
		for _, c := range candidates {
			x, ok := c.AsString()
			if !ok {
				return value.Null(), a.wrong(name, "a string", c)
			}
			found = found || has(s, x)
		}
		return value.Bool(found), nil
	}
}

func trimmed(trim func(s, x string) string) func(string, Args) (value.Value, error) {
	return func(s string, a Args) (value.Value, error) {
		x, err := a.Text(a.params.list[0].name)
		return value.String(trim(s, x)), err
	}
}

func replaceMethod(s string, a Args) (value.Value, error) {
	old, err := a.Text("old")
	if err != nil {
		return value.Null(), err
	}
	repl, err := a.Text("new")
	if err != nil {
		return value.Null(), err
	}
	count, err := a.Int("count")
	if err != nil {
		return value.Null(), err
	}
	return replaced(s, old, repl, count)
}

// replaced replaces at most count times, always when it is negative.
func replaced(s, old, repl string, count int) (value.Value, error) {
	hits := strings.Count(s, old)
	if count >= 0 {
		hits = min(hits, count)
	}
	if grow := len(repl) - len(old); grow > 0 && hits > (MaxOutput-len(s))/grow {
		return value.Null(), errTooLarge()
	}
	return value.String(strings.Replace(s, old, repl, hits)), nil
}

// finder returns where a text stands, in characters.
func finder(search func(s, sub string) int, must bool) func(string, Args) (value.Value, error) {
	return func(s string, a Args) (value.Value, error) {
		sub, err := a.Text("sub")
		if err != nil {
			return value.Null(), err
		}
		i := search(s, sub)
		if i < 0 && must {
			return value.Null(), failf("%q is not in the text", clip(sub))
		}
		return value.Int(int64(utf8.RuneCountInString(s[:max(i, 0)]) + min(i, 0))), nil
	}
}

func partition(search func(s, sub string) int, fromRight bool) func(string, Args) (value.Value, error) {
	return func(s string, a Args) (value.Value, error) {
		sep, err := a.Text("sep")
		if err != nil {
			return value.Null(), err
		}
		if sep == "" {
			return value.Null(), failf("the separator must not be empty")
		}
		i := search(s, sep)
		switch {
		case i >= 0:
			return stringList([]string{s[:i], sep, s[i+len(sep):]})
		case fromRight:
			return stringList([]string{"", "", s})
		}
		return stringList([]string{s, "", ""})
	}
}
