package object

import (
	"slices"
	"strings"
)

func strSplit(t *Thread, s *Str, a Args) (Object, error) {
	sep, limit, err := splitArgs("split", a)
	if err != nil {
		return nil, err
	}
	if sep == nil {
		return t.strings(splitSpace(s.s, limit))
	}
	n := -1
	if limit >= 0 {
		n = limit + 1
	}
	if err := t.chargeSplit(s.s, *sep); err != nil {
		return nil, err
	}
	return t.strings(strings.SplitN(s.s, *sep, n))
}

func strRSplit(t *Thread, s *Str, a Args) (Object, error) {
	sep, limit, err := splitArgs("rsplit", a)
	if err != nil {
		return nil, err
	}
	if sep == nil {
		return t.strings(rsplitSpace(s.s, limit))
	}
	if err := t.chargeSplit(s.s, *sep); err != nil {
		return nil, err
	}
	var parts []string
	rest := s.s
	for limit < 0 || len(parts) < limit {
		i := strings.LastIndex(rest, *sep)
		if i < 0 {
			break
		}
		parts = append(parts, rest[i+len(*sep):])
		rest = rest[:i]
	}
	parts = append(parts, rest)
	slices.Reverse(parts)
	return t.strings(parts)
}

func splitArgs(name string, a Args) (sep *string, limit int, err error) {
	var s, m Object
	if err := a.Bind(name, "sep? maxsplit?", &s, &m); err != nil {
		return nil, 0, err
	}
	limit = -1
	if m != nil {
		if limit, err = IntArg(m); err != nil {
			return nil, 0, err
		}
	}
	if limit > maxWidth {
		limit = -1
	}
	if IsNone(s) {
		return nil, limit, nil
	}
	x, ok := s.(*Str)
	if !ok {
		return nil, 0, TypeErrorf("must be str or None, not %s", s.TypeName())
	}
	if x.s == "" {
		return nil, 0, ValueErrorf("empty separator")
	}
	return &x.s, limit, nil
}

func (t *Thread) chargeSplit(s, sep string) error {
	if err := t.Work(len(s)); err != nil {
		return err
	}
	return t.AllocN(strings.Count(s, sep)+1, 16)
}

// strings makes a list of strings, charged.
func (t *Thread) strings(parts []string) (Object, error) {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if err := t.Alloc(int64(n) + int64(len(parts))*(headSize+slotSize)); err != nil {
		return nil, err
	}
	if err := t.Work(len(parts)); err != nil {
		return nil, err
	}
	items := make([]Object, len(parts))
	for i, p := range parts {
		items[i] = NewStr(p)
	}
	return &List{items: items}, nil
}

// Strings makes a list of strings, charged.
func (t *Thread) Strings(parts []string) (Object, error) { return t.strings(parts) }

func splitSpace(s string, limit int) []string {
	var parts []string
	for {
		s = strings.TrimLeftFunc(s, isSpace)
		if s == "" {
			return parts
		}
		i := strings.IndexFunc(s, isSpace)
		if limit >= 0 && len(parts) == limit || i < 0 {
			if i >= 0 {
				s = strings.TrimRightFunc(s, func(r rune) bool { return limit < 0 && isSpace(r) })
			}
			return append(parts, s)
		}
		parts = append(parts, s[:i])
		s = s[i:]
	}
}

func rsplitSpace(s string, limit int) []string {
	var parts []string
	for {
		s = strings.TrimRightFunc(s, isSpace)
		if s == "" {
			break
		}
		i := strings.LastIndexFunc(s, isSpace)
		if limit >= 0 && len(parts) == limit || i < 0 {
			parts = append(parts, s)
			break
		}
		word := strings.TrimLeftFunc(s[i:], isSpace)
		parts = append(parts, word)
		s = s[:len(s)-len(word)]
	}
	slices.Reverse(parts)
	return parts
}

func strSplitLines(t *Thread, s *Str, a Args) (Object, error) {
	var keep Object = False
	if err := a.Bind("splitlines", "keepends?", &keep); err != nil {
		return nil, err
	}
	var parts []string
	rest := s.s
	for rest != "" {
		end, next := lineEnd(rest)
		if Truth(keep) {
			end = next
		}
		parts = append(parts, rest[:end])
		rest = rest[next:]
	}
	return t.strings(parts)
}

// lineEnd gives the length of the first line of s without and with its end.
func lineEnd(s string) (end, next int) {
	for i, r := range s {
		switch r {
		case '\r':
			if strings.HasPrefix(s[i+1:], "\n") {
				return i, i + 2
			}
			return i, i + 1
		case '\n', '\v', '\f', 0x1c, 0x1d, 0x1e:
			return i, i + 1
		case 0x85:
			return i, i + 2
		case 0x2028, 0x2029:
			return i, i + 3
		}
	}
	return len(s), len(s)
}

func strJoin(t *Thread, s *Str, a Args) (Object, error) {
	var x Object
	if err := a.Bind("join", "iterable /", &x); err != nil {
		return nil, err
	}
	if _, err := Iterate(t, x); err != nil {
		return nil, TypeErrorf("can only join an iterable")
	}
	items, err := Collect(t, x)
	if err != nil {
		return nil, err
	}
	n := 0
	for i, item := range items {
		p, ok := item.(*Str)
		if !ok {
			e := Errorf("TypeError", "sequence item %d: expected str instance, %s found", i, item.TypeName())
			return nil, e.WithHint("convert the items: ', '.join(str(x) for x in items)")
		}
		n += len(p.s)
	}
	if err := t.AllocN(len(items), len(s.s)); err != nil {
		return nil, err
	}
	if err := t.Alloc(int64(n)); err != nil {
		return nil, err
	}
	var b strings.Builder
	b.Grow(n + len(items)*len(s.s))
	for i, item := range items {
		if i > 0 {
			b.WriteString(s.s)
		}
		b.WriteString(item.(*Str).s) //nolint:forcetypeassert // checked above
	}
	return NewStr(b.String()), t.Work(b.Len())
}

func strReplace(t *Thread, s *Str, a Args) (Object, error) {
	var o, n, c Object
	if err := a.Bind("replace", "old new count? /", &o, &n, &c); err != nil {
		return nil, err
	}
	from, err := text(o, "replace() argument 1")
	if err != nil {
		return nil, err
	}
	to, err := text(n, "replace() argument 2")
	if err != nil {
		return nil, err
	}
	count := -1
	if c != nil {
		if count, err = IntArg(c); err != nil {
			return nil, err
		}
	}
	found := strings.Count(s.s, from)
	if count >= 0 {
		found = min(found, count)
	}
	if err := t.AllocN(found, max(len(to)-len(from), 0)); err != nil {
		return nil, err
	}
	if err := t.Work(len(s.s)); err != nil {
		return nil, err
	}
	if found == 0 {
		return s, nil
	}
	return t.Str(strings.Replace(s.s, from, to, count))
}
