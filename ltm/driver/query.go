package driver

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tea-agents/tea/value"
)

// Order is by what records are listed.
type Order uint8

// The orders. Records that are equal in it follow by namespace and key.
// ByExpiry lists only records that do expire.
const (
	ByKey Order = iota // namespace and key, by their bytes
	ByCreated
	ByUpdated
	ByAccessed
	ByExpiry
)

// Query selects records of one space. All its conditions must hold.
type Query struct {
	Space      Space
	Namespaces []string // nil is every namespace
	// NamespacePrefix is how the namespace begins, byte for byte.
	NamespacePrefix string
	Prefix          string   // of the key
	Glob            string   // of the whole key, see Glob; "" is any
	Filters         []Filter // on the metadata
	// ExpiredBy, when not 0, selects what has expired at that time.
	ExpiredBy int64
	// LiveAt, when not 0, selects what has not expired at that time.
	LiveAt int64

	Order Order
	Desc  bool      // the other way round, namespace and key too
	After *Position // only what follows this place in the order; nil is all
	Limit int       // more than 0
	// KeysOnly leaves out Value and Metadata.
	KeysOnly bool
}

// Position is a record's place in an order.
type Position struct {
	At        int64   // the time that is ordered by; 0 with ByKey
	Score     float64 // with FullText only
	Namespace string
	Key       string
}

// Position returns the place of r in the order of q.
func (q *Query) Position(r *Record) Position {
	p := Position{Namespace: r.Key.Namespace, Key: r.Key.Key}
	switch q.Order {
	case ByCreated:
		p.At = r.CreatedAt
	case ByUpdated:
		p.At = r.UpdatedAt
	case ByAccessed:
		p.At = r.AccessedAt
	case ByExpiry:
		p.At = r.ExpiresAt
	}
	return p
}

// Compare tells which of two places comes first in the order of q.
func (q *Query) Compare(a, b Position) int {
	c := cmp.Or(
		cmp.Compare(a.At, b.At),
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(a.Key, b.Key),
	)
	if q.Desc {
		return -c
	}
	return c
}

// Match tells whether r fulfils the conditions of q; order, After and Limit are
// none. A driver may look up candidates by an index of its own and leave the
// exact answer to Match. The error, which wraps ErrCorrupt, says that the
// metadata is not JSON.
func (q *Query) Match(r *Record) (bool, error) {
	switch {
	case r.Key.Space != q.Space,
		q.Namespaces != nil && !slices.Contains(q.Namespaces, r.Key.Namespace),
		!strings.HasPrefix(r.Key.Namespace, q.NamespacePrefix),
		!strings.HasPrefix(r.Key.Key, q.Prefix),
		q.Glob != "" && !Glob(q.Glob, r.Key.Key),
		q.ExpiredBy != 0 && !r.Expired(q.ExpiredBy),
		q.LiveAt != 0 && r.Expired(q.LiveAt),
		q.Order == ByExpiry && r.ExpiresAt == 0:
		return false, nil
	case len(q.Filters) == 0:
		return true, nil
	}
	meta, err := value.Parse(r.Metadata)
	if err != nil {
		return false, fmt.Errorf("%w: metadata of %q: %w", ErrCorrupt, r.Key.Key, err)
	}
	for i := range q.Filters {
		if !q.Filters[i].Match(meta) {
			return false, nil
		}
	}
	return true, nil
}

// Select applies all of q to records that are already in memory: what List
// returns, for a driver without an index. It sorts records in place and does
// not copy their bytes.
func (q *Query) Select(records []*Record) ([]*Record, error) {
	kept := records[:0]
	for _, r := range records {
		ok, err := q.Match(r)
		if err != nil {
			return nil, err
		}
		if ok && (q.After == nil || q.Compare(q.Position(r), *q.After) > 0) {
			kept = append(kept, r)
		}
	}
	slices.SortFunc(kept, func(a, b *Record) int {
		return q.Compare(q.Position(a), q.Position(b))
	})
	return kept[:min(len(kept), q.Limit)], nil
}

// Glob tells whether all of s matches pattern, in which "*" stands for any
// characters, none included, and every other character for itself.
func Glob(pattern, s string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == s
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(s) < len(first)+len(last) || !strings.HasPrefix(s, first) || !strings.HasSuffix(s, last) {
		return false
	}
	s = s[len(first) : len(s)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s = s[i+len(part):]
	}
	return true
}
