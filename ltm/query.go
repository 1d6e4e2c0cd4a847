package ltm

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tea-agents/tea/ltm/driver"
)

// Filter is a condition on an entry's metadata.
type Filter = driver.Filter

// Op is how a Filter compares.
type Op = driver.Op

// The comparisons of a Filter: see driver.Op.
const (
	Eq     = driver.Eq
	In     = driver.In
	Lt     = driver.Lt
	Le     = driver.Le
	Gt     = driver.Gt
	Ge     = driver.Ge
	Exists = driver.Exists
)

// DefaultLimit is how many entries a page has when Query.Limit is 0.
const DefaultLimit = 100

// Query selects entries of the view's space. All that is set must hold. The
// zero Query is every live entry of the view's namespace, by key.
type Query struct {
	Prefix string // of the key
	// Glob is a pattern for the whole key in which "*" stands for any
	// characters, and every other character for itself. "" is any key.
	Glob string
	// Text asks for entries that hold all its words, in key, value or
	// metadata, without regard to case. It orders by Score; Order and Desc
	// cannot be set with it. Only the user space has a text search.
	Text     string
	Metadata []Filter
	// Namespaces to look in; nil is the view's. AllNamespaces is every one.
	Namespaces    []string
	AllNamespaces bool
	// ExpiredBefore, when set, selects what has expired at that time. Else
	// only live entries are found, unless IncludeExpired is set.
	ExpiredBefore  time.Time
	IncludeExpired bool

	Order driver.Order // zero is by namespace and key
	Desc  bool
	// Limit is how many entries there are on a page at most; 0 is
	// DefaultLimit. For DeleteWhere it is how many it deletes, 0 is all.
	Limit int
	// Cursor is the Next of the page before. It belongs to the same query.
	Cursor string
	// KeysOnly leaves Value and Metadata null, and does not verify them.
	KeysOnly bool
}

// Page is one page of a search.
type Page struct {
	Entries []Entry
	Next    string // the Cursor of the next page; "" when this is the last
}

// check returns everything that is wrong with the query itself.
func (m *Memory) check(q *Query) error {
	var wrong []string
	add := func(bad bool, what string) {
		if bad {
			wrong = append(wrong, what)
		}
	}
	for _, name := range append([]string{m.namespace}, q.Namespaces...) {
		if err := checkNamespace(name); err != nil {
			wrong = append(wrong, strings.TrimPrefix(err.Error(), ErrInvalid.Error()+": "))
		}
	}
	add(q.Limit < 0, "the limit is negative")
	add(q.AllNamespaces && q.Namespaces != nil, "both namespaces and all of them are asked for")
	add(q.Text != "" && m.space != driver.User, "the "+m.space.String()+" space has no text search")
	add(q.Text != "" && (q.Order != driver.ByKey || q.Desc), "a text search is ordered by score")
	add(q.Order > driver.ByExpiry, "there is no such order")
	add(!utf8.ValidString(q.Prefix+q.Glob+q.Text), "prefix, glob or text is not valid UTF-8")
	for _, f := range q.Metadata {
		add(len(f.Path) == 0, "a metadata filter has no path")
		add(f.Op > Exists, "a metadata filter has an unknown comparison")
	}
	if wrong != nil {
		return invalid("%s", strings.Join(wrong, "; "))
	}
	return nil
}

// driverQuery translates a query that was checked.
func (m *Memory) driverQuery(q *Query) driver.Query {
	d := driver.Query{
		Space: m.space, Namespaces: q.Namespaces,
		Prefix: q.Prefix, Glob: q.Glob, Filters: q.Metadata,
		Order: q.Order, Desc: q.Desc, Limit: q.Limit, KeysOnly: q.KeysOnly,
	}
	if q.Namespaces == nil && !q.AllNamespaces {
		d.Namespaces = []string{m.namespace}
	}
	switch {
	case !q.ExpiredBefore.IsZero():
		d.ExpiredBy = q.ExpiredBefore.UnixMilli()
	case !q.IncludeExpired:
		d.LiveAt = m.now().UnixMilli()
	}
	if d.Limit == 0 {
		d.Limit = DefaultLimit
	}
	return d
}

// Search returns a page of the entries that q selects. Filters come before
// order, order before limit. Following Next reaches every entry that is there
// the whole time exactly once, whatever else is put or deleted meanwhile (in a
// text search: as long as scores stay).
func (m *Memory) Search(ctx context.Context, q Query) (Page, error) {
	p, err := m.search(ctx, &q)
	return p, m.fail("search", "", err)
}

func (m *Memory) search(ctx context.Context, q *Query) (Page, error) {
	if err := m.check(q); err != nil {
		return Page{}, err
	}
	d := m.driverQuery(q)
	var err error
	if d.After, err = m.parseCursor(q); err != nil {
		return Page{}, err
	}
	size := d.Limit
	d.Limit++ // one more tells whether there is a next page
	hits, err := m.hits(ctx, d, q.Text)
	if err != nil {
		return Page{}, err
	}
	var p Page
	if len(hits) > size {
		hits = hits[:size]
		p.Next = m.cursor(q, &d, &hits[size-1])
	}
	p.Entries, err = entries(hits, q.KeysOnly)
	return p, err
}

// hits asks the store.
func (m *Memory) hits(ctx context.Context, d driver.Query, text string) ([]driver.Hit, error) {
	if text != "" {
		return m.textHits(ctx, d, text)
	}
	s, err := m.use(ctx)
	if err != nil {
		return nil, err
	}
	records, err := s.List(ctx, d)
	hits := make([]driver.Hit, len(records))
	for i, r := range records {
		hits[i].Record = r
	}
	return hits, err
}

// entries verifies and decodes what was found.
func entries(hits []driver.Hit, keysOnly bool) ([]Entry, error) {
	found := make([]Entry, len(hits))
	for i := range hits {
		r := &hits[i].Record
		if keysOnly {
			found[i] = header(r)
		} else {
			e, err := open(r)
			if err != nil {
				return nil, &Error{Op: "read", Key: r.Key.Key, Err: err}
			}
			found[i] = e
		}
		found[i].Score = hits[i].Score
	}
	return found, nil
}
