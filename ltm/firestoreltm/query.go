package firestoreltm

import (
	"slices"
	"strings"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// span is a part of an order.
type span struct{ from, to string } // to is not in it

// under returns all places that begin with one.
func under(begin string) span { return span{begin, begin + past} }

// spans returns the parts of the order in which all that q selects is.
func spans(q *driver.Query) []span {
	var all []span
	switch {
	case q.Order != driver.ByKey:
		sp := span{"0", "g"}
		if q.Order == driver.ByExpiry && q.ExpiredBy != 0 {
			sp.to = timed(q.ExpiredBy) + past
		}
		if q.Order == driver.ByExpiry && q.LiveAt != 0 {
			sp.from = timed(q.LiveAt)
		}
		all = append(all, sp)
	case q.Namespaces == nil:
		all = append(all, under(cut(ordered(q.NamespacePrefix), maxPosition)))
	default:
		names := slices.Clone(q.Namespaces)
		slices.Sort(names)
		for _, name := range slices.Compact(names) {
			all = append(all, under(cut(within(name)+ordered(prefix(q)), maxPosition)))
		}
	}
	if q.After == nil {
		return all
	}
	for i := range all {
		all[i] = all[i].beginAt(q)
	}
	return all
}

// beginAt leaves out what precedes q.After, but not what is at the same place.
func (sp span) beginAt(q *driver.Query) span {
	place := placeOf(q, q.After)
	if q.Desc {
		sp.to = min(sp.to, place+next)
	} else {
		sp.from = max(sp.from, place)
	}
	return sp
}

// placeOf returns by what Firestore sorts a position.
func placeOf(q *driver.Query, p *driver.Position) string {
	place := position(p.Namespace, p.Key)
	if q.Order != driver.ByKey {
		place = timed(p.At) + place
	}
	return place
}

// prefix returns with what all keys begin that q selects.
func prefix(q *driver.Query) string {
	head, _, _ := strings.Cut(q.Glob, "*")
	if strings.HasPrefix(head, q.Prefix) {
		return head
	}
	return q.Prefix
}

// alternative returns a condition that a single field's index answers, whatever
// the order of q is; nil is none.
func alternative(q *driver.Query) *pb.StructuredQuery_Filter {
	for i := range q.Filters {
		if wanted := filterTokens(q.Namespaces, &q.Filters[i]); len(wanted) > 0 {
			return oneOf(append(wanted, manyMeta))
		}
	}
	if q.Order != driver.ByKey && len(q.Namespaces) == 1 {
		return field(fieldScope, pb.StructuredQuery_FieldFilter_EQUAL, text(scope(q.Namespaces[0])))
	}
	return nil
}

// filterTokens returns the tokens of which a record that fulfils f has one, none
// where the index does not tell.
func filterTokens(namespaces []string, f *driver.Filter) []string {
	wanted := []value.Value{f.Value}
	switch f.Op {
	case driver.Eq:
	case driver.In:
		wanted = wanted[:0]
		for _, v := range f.Value.Items() {
			wanted = append(wanted, v)
		}
	default:
		return nil
	}
	if len(wanted)*len(namespaces) >= maxDisjunctions {
		return nil
	}
	var all []string
	for _, namespace := range namespaces {
		for _, v := range wanted {
			t, ok := metaToken(namespace, f.Path, v)
			if !ok {
				return nil
			}
			all = append(all, t)
		}
	}
	return all
}

// projection asks for some fields; nil is all.
func projection(fields []string) *pb.StructuredQuery_Projection {
	if fields == nil {
		return nil
	}
	p := &pb.StructuredQuery_Projection{}
	for _, name := range fields {
		p.Fields = append(p.Fields, &pb.StructuredQuery_FieldReference{FieldPath: name})
	}
	return p
}

func field(name string, op pb.StructuredQuery_FieldFilter_Operator, v *pb.Value) *pb.StructuredQuery_Filter {
	return &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_FieldFilter{
		FieldFilter: &pb.StructuredQuery_FieldFilter{
			Field: &pb.StructuredQuery_FieldReference{FieldPath: name}, Op: op, Value: v,
		},
	}}
}

func both(filters ...*pb.StructuredQuery_Filter) *pb.StructuredQuery_Filter {
	return &pb.StructuredQuery_Filter{FilterType: &pb.StructuredQuery_Filter_CompositeFilter{
		CompositeFilter: &pb.StructuredQuery_CompositeFilter{Op: pb.StructuredQuery_CompositeFilter_AND, Filters: filters},
	}}
}

// oneOf asks for the records that have one of some tokens.
func oneOf(tokens []string) *pb.StructuredQuery_Filter {
	return field(fieldTokens, pb.StructuredQuery_FieldFilter_ARRAY_CONTAINS_ANY, list(tokens))
}
