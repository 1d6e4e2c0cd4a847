package filters

import (
	"context"
	"encoding/base64"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

func jsonFilters() []Filter {
	tojson := Filter{Name: "tojson", Params: "(indent=none)", Nil: true,
		Doc:     "The input as JSON, keys sorted, nothing escaped for HTML; over several lines when indent says by how many blanks.",
		Example: `{{ {"b": 1, "a": [true, none]} | tojson }} => {"a": [true, null], "b": 1}`,
		Apply: func(_ context.Context, in value.Value, a Args) (value.Value, error) {
			if a.Value("indent").IsNull() {
				s, err := jsonText(in, -1)
				return value.String(s), err
			}
			n, err := a.Int("indent")
			if err == nil && (n < 0 || n > 16) {
				err = failf("the argument indent must be between 0 and 16")
			}
			if err != nil {
				return in, err
			}
			s, err := jsonText(in, n)
			return value.String(s), err
		}}
	return []Filter{
		tojson, alias("json", tojson),
		{Name: "fromjson", Doc: "The value that a JSON text spells; integers keep every digit.",
			Example: `{{ ('{"a": [1, 2]}' | fromjson).a[1] }} => 2`,
			Apply: func(_ context.Context, in value.Value, _ Args) (value.Value, error) {
				s, ok := in.AsString()
				if !ok {
					return in, failf("fromjson needs a string, not %s", aKind(in))
				}
				v, err := value.Parse([]byte(s))
				if err != nil {
					return in, &fault{off: -1, msg: "the text is not JSON: " + err.Error(), err: err}
				}
				return v, nil
			}},
	}
}

// jsonText is v's JSON in the layout of Python's json module: a blank behind
// comma and colon, or over several lines when indent is not negative. Secrets
// and what is too large are errors.
func jsonText(v value.Value, indent int) (string, error) {
	m := asText(v)
	if err := m.err(); err != nil {
		return "", err
	}
	if m.secret {
		return "", errSecret()
	}
	w := jsonWriter{indent: indent}
	w.write(v, 1)
	if len(w.out) > MaxOutput {
		return "", errTooLarge()
	}
	return string(w.out), nil
}

type jsonWriter struct {
	out    []byte
	indent int
}

func (w *jsonWriter) write(v value.Value, depth int) {
	switch {
	case len(w.out) > MaxOutput:
	case v.Kind() == value.KindList && v.Len() > 0:
		w.out = append(w.out, '[')
		for i, item := range v.Items() {
			w.separate(i, depth)
			w.write(item, depth+1)
		}
		w.end(']', depth)
	case v.Kind() == value.KindObject && v.Len() > 0:
		w.out = append(w.out, '{')
		i := 0
		for key, item := range v.Members() {
			w.separate(i, depth)
			w.out = append(value.String(key).AppendJSON(w.out), ": "...)
			w.write(item, depth+1)
			i++
		}
		w.end('}', depth)
	default:
		w.out = v.AppendJSON(w.out)
	}
}

// separate goes before element i.
func (w *jsonWriter) separate(i, depth int) {
	if i > 0 {
		w.out = append(w.out, ',')
	}
	if w.indent >= 0 {
		w.newline(depth)
	} else if i > 0 {
		w.out = append(w.out, ' ')
	}
}

func (w *jsonWriter) end(bracket byte, depth int) {
	if w.indent >= 0 {
		w.newline(depth - 1)
	}
	w.out = append(w.out, bracket)
}

func (w *jsonWriter) newline(depth int) {
	w.out = append(w.out, '\n')
	for range w.indent * depth {
		w.out = append(w.out, ' ')
	}
}

func encodingFilters() []Filter {
	return []Filter{
		{Name: "b64encode", Doc: "The text's UTF-8 bytes in base64.", Example: `{{ "tea" | b64encode }} => dGVh`,
			Apply: ofText(mapText(func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }))},
		{Name: "b64decode", Doc: "The text whose UTF-8 bytes the base64 stands for; with or without padding, also in the URL alphabet.",
			Example: `{{ "dGVh" | b64decode }} => tea`, Apply: ofText(b64decode)},
		{Name: "urlencode", Doc: "The text escaped for a URL's path; of an object, or of pairs, the query string.",
			Example: `{{ {"q": "a b", "n": 1} | urlencode }} => n=1&q=a+b`, Apply: urlEncode},
	}
}

func b64decode(s string, _ Args) (value.Value, error) {
	s = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "").Replace(s), "=")
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		return value.Null(), &fault{off: -1, msg: "the text is not base64: " + err.Error(), err: err}
	}
	if !utf8.Valid(b) {
		return value.Null(), failf("the decoded bytes are not UTF-8 text")
	}
	return value.String(string(b)), nil
}

func urlEncode(_ context.Context, in value.Value, _ Args) (value.Value, error) {
	pairs := in
	if in.Kind() == value.KindObject {
		pairs = pairsOf(in)
	}
	if pairs.Kind() != value.KindList {
		s, err := Text(in)
		return value.String(strings.ReplaceAll(escapePath(s), "%2F", "/")), err
	}
	var parts []value.Value
	for _, pair := range pairs.Items() {
		if pair.Kind() != value.KindList || pair.Len() != 2 {
			return in, failf("urlencode needs a text, an object or a list of pairs")
		}
		k, err := Text(pair.Index(0))
		if err != nil {
			return in, err
		}
		v, err := Text(pair.Index(1))
		if err != nil {
			return in, err
		}
		parts = append(parts, value.String(escapeQuery(k)+"="+escapeQuery(v)))
	}
	return joined("&", parts)
}

// escapeQuery is Python's quote_plus.
func escapeQuery(s string) string { return url.QueryEscape(s) }

// escapePath is Python's quote with no safe characters.
func escapePath(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
