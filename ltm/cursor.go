package ltm

import (
	"encoding/base64"
	"encoding/hex"
	"math"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// A cursor is the place of the last entry of a page in the query's order, with
// a fingerprint of the query: base64url of a JSON list.

// cursor returns the cursor that goes on after last.
func (m *Memory) cursor(q *Query, d *driver.Query, last *driver.Hit) string {
	p := d.Position(&last.Record)
	text := value.List(
		value.String(m.fingerprint(q)),
		value.Int(p.At),
		value.Int(int64(math.Float64bits(last.Score))),
		value.String(p.Namespace),
		value.String(p.Key),
	).AppendJSON(nil)
	return base64.RawURLEncoding.EncodeToString(text)
}

// parseCursor returns the place after which q goes on, nil for the beginning.
func (m *Memory) parseCursor(q *Query) (*driver.Position, error) {
	if q.Cursor == "" {
		return nil, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(q.Cursor)
	if err != nil {
		return nil, invalid("the cursor is damaged")
	}
	v, err := value.Parse(text)
	if err != nil || v.Len() != 5 || v.Kind() != value.KindList {
		return nil, invalid("the cursor is damaged")
	}
	if v.Index(0).Text() != m.fingerprint(q) {
		return nil, invalid("the cursor belongs to another query")
	}
	at, ok1 := v.Index(1).AsInt()
	score, ok2 := v.Index(2).AsInt()
	namespace, ok3 := v.Index(3).AsString()
	key, ok4 := v.Index(4).AsString()
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil, invalid("the cursor is damaged")
	}
	return &driver.Position{
		At: at, Score: math.Float64frombits(uint64(score)), Namespace: namespace, Key: key,
	}, nil
}

// fingerprint tells queries apart that select or order differently.
func (m *Memory) fingerprint(q *Query) string {
	var filters []value.Value
	for _, f := range q.Metadata {
		filters = append(filters, value.List(texts(f.Path), value.Int(int64(f.Op)), f.Value))
	}
	namespaces := value.Null()
	if q.Namespaces != nil {
		namespaces = texts(q.Namespaces)
	}
	digest, err := value.List(
		value.Int(int64(m.space)), value.String(m.namespace),
		value.String(q.Prefix), value.String(q.Glob), value.String(q.Text),
		value.List(filters...), namespaces, value.Bool(q.AllNamespaces),
		value.Int(q.ExpiredBefore.UnixMilli()), value.Bool(q.IncludeExpired),
		value.Int(int64(q.Order)), value.Bool(q.Desc),
	).Digest()
	if err != nil {
		return "" // a filter on what is not JSON finds nothing, on any page
	}
	return hex.EncodeToString(digest[:8])
}

func texts(list []string) value.Value {
	items := make([]value.Value, len(list))
	for i, s := range list {
		items[i] = value.String(s)
	}
	return value.List(items...)
}
