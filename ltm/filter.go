package ltm

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tea-agents/tea/value"
)

// ParseFilters reads conditions on metadata as people write them: an object of
// what each key must be. A dot in a key goes into an object. What it must be is
// a value, or a list of which one is equal, or an object of comparisons:
//
//	{kind: note}                        equal
//	{kind: [note, letter]}              one of them
//	{score: {$gte: 0.5, $lt: 1}}        also $gt, $lte, $eq, $in
//	{author.id: {$exists: true}}
//
// Null is no condition. The error, an ErrInvalid, names all that is wrong.
func ParseFilters(v value.Value) ([]Filter, error) {
	if !v.IsNull() && v.Kind() != value.KindObject {
		return nil, invalid("the metadata filter must be an object, got the %s %s", v.Kind(), v)
	}
	var filters []Filter
	var wrong []error
	for name, want := range v.Members() {
		path := strings.Split(name, ".")
		switch {
		case want.Kind() == value.KindList:
			filters = append(filters, Filter{Path: path, Op: In, Value: want})
		case compares(want):
			for sign, operand := range want.Members() {
				f, err := comparison(path, sign, operand)
				if err != nil {
					wrong = append(wrong, fmt.Errorf("%q: %w", name, err))
				}
				filters = append(filters, f)
			}
		default:
			filters = append(filters, Filter{Path: path, Op: Eq, Value: want})
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, fmt.Errorf("%w: the metadata filter: %w", ErrInvalid, err)
	}
	return filters, nil
}

// compares tells an object of comparisons from one to be equal to.
func compares(v value.Value) bool {
	for key := range v.Members() {
		if strings.HasPrefix(key, "$") {
			return true
		}
	}
	return false
}

// ordered tells whether anything can be less or more than v.
func ordered(v value.Value) bool {
	return v.Kind() == value.KindInt || v.Kind() == value.KindFloat || v.Kind() == value.KindString
}

// comparison reads one comparison.
func comparison(path []string, sign string, operand value.Value) (Filter, error) {
	op, ok := map[string]Op{"$eq": Eq, "$in": In, "$lt": Lt, "$lte": Le, "$gt": Gt, "$gte": Ge, "$exists": Exists}[sign]
	f := Filter{Path: path, Op: op, Value: operand}
	switch {
	case !ok:
		signs := []string{"$eq", "$exists", "$gt", "$gte", "$in", "$lt", "$lte"}
		return f, fmt.Errorf("unknown comparison %q%s; known are %s", sign, didYouMean(sign, signs), strings.Join(signs, " "))
	case op >= Lt && op <= Ge && !ordered(operand):
		return f, fmt.Errorf("%s wants a number or a text, got %s", sign, operand)
	case op == In && operand.Kind() != value.KindList:
		return f, fmt.Errorf("$in wants a list, got the %s %s", operand.Kind(), operand)
	case op == Exists && !value.Equal(operand, value.Bool(true)):
		return f, errors.New("$exists can only be true: there is no search for what is missing")
	}
	return f, nil
}
