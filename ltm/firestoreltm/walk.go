package firestoreltm

import (
	"context"
	"slices"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/tea-agents/tea/ltm/driver"
)

const (
	// sortable is how many records are read and sorted rather than looked for in
	// the order of the query.
	sortable = 300

	firstRows = 50  // read at first, or as many as there may be
	maxRows   = 400 // read at a time
)

// walker reads what may be what a query selects.
type walker struct {
	store  *Store
	q      *driver.Query
	fields []string // of the documents; nil is all
	// take gets records in the order of the query, all after q.After, and tells
	// whether these are enough.
	take func(ctx context.Context, found []*document) (done bool, err error)
}

// gather reads all records that an index other than the order's knows, and sorts
// them. It tells whether there is such an index, and they were not too many.
func (w *walker) gather(ctx context.Context) (bool, error) {
	where := alternative(w.q)
	if where == nil {
		return false, nil
	}
	found, err := w.read(ctx, &pb.StructuredQuery{Where: where, Limit: wrapperspb.Int32(sortable + 1)})
	if err != nil || len(found) > sortable {
		return false, err
	}
	_, err = w.take(ctx, w.sorted(found))
	return true, err
}

// walk reads records in the order of the query until they are enough.
func (w *walker) walk(ctx context.Context) error {
	all := spans(w.q)
	if w.q.Desc {
		slices.Reverse(all)
	}
	for _, sp := range all {
		if done, err := w.walkSpan(ctx, sp); err != nil || done {
			return err
		}
	}
	return nil
}

func (w *walker) walkSpan(ctx context.Context, sp span) (done bool, err error) {
	rows := firstRows
	if w.q.Limit < firstRows {
		rows = w.q.Limit + 1 // and one that is at the place of q.After
	}
	for sp.from < sp.to {
		found, err := w.read(ctx, w.inOrder(sp, rows))
		if err != nil {
			return false, err
		}
		more := len(found) == rows
		if more {
			// Those at the same place come in no order: all of them, or none.
			last := w.place(found[len(found)-1])
			if len(last) >= w.longest() {
				found = slices.DeleteFunc(found, func(d *document) bool { return w.place(d) == last })
			}
			rows *= 2
			if len(found) == 0 {
				continue
			}
			sp = w.after(sp, w.place(found[len(found)-1]))
			rows = min(rows, maxRows)
		}
		if done, err := w.take(ctx, w.sorted(found)); err != nil || done || !more {
			return done, err
		}
	}
	return false, nil
}

// sorted sorts records, without those that are not after q.After.
func (w *walker) sorted(found []*document) []*document {
	if w.q.After != nil {
		found = slices.DeleteFunc(found, func(d *document) bool {
			return w.q.Compare(w.q.Position(&d.Record), *w.q.After) <= 0
		})
	}
	slices.SortFunc(found, func(a, b *document) int {
		return w.q.Compare(w.q.Position(&a.Record), w.q.Position(&b.Record))
	})
	return found
}

// place returns by what Firestore sorts a record.
func (w *walker) place(d *document) string {
	p := w.q.Position(&d.Record)
	return placeOf(w.q, &p)
}

// longest returns from which length on a place may be that of several records.
func (w *walker) longest() int {
	if w.q.Order == driver.ByKey {
		return maxPosition
	}
	return maxPosition + timeDigits
}

// after returns what of a span follows a place.
func (w *walker) after(sp span, place string) span {
	if w.q.Desc {
		sp.to = place
	} else {
		sp.from = place + next
	}
	return sp
}

// inOrder returns the query for the first records of a span, in the direction of
// w's query.
func (w *walker) inOrder(sp span, rows int) *pb.StructuredQuery {
	name, direction := orderField(w.q.Order), pb.StructuredQuery_ASCENDING
	if w.q.Desc {
		direction = pb.StructuredQuery_DESCENDING
	}
	return &pb.StructuredQuery{
		Where: both(
			field(name, pb.StructuredQuery_FieldFilter_GREATER_THAN_OR_EQUAL, text(sp.from)),
			field(name, pb.StructuredQuery_FieldFilter_LESS_THAN, text(sp.to)),
		),
		OrderBy: []*pb.StructuredQuery_Order{{Field: &pb.StructuredQuery_FieldReference{FieldPath: name}, Direction: direction}},
		Limit:   wrapperspb.Int32(int32(rows)),
	}
}

// read reads the fields of the documents that a query selects.
func (w *walker) read(ctx context.Context, q *pb.StructuredQuery) (found []*document, err error) {
	q.Select = projection(w.fields)
	err = w.store.query(ctx, w.q.Space, q, func(d *document) error {
		found = append(found, d)
		return nil
	})
	return found, err
}
