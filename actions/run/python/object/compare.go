package object

import (
	"cmp"
	"math"
	"math/big"
	"strings"
)

// CmpOp is a comparison operator.
type CmpOp uint8

// The comparison operators.
const (
	Eq CmpOp = iota
	Ne
	Lt
	Le
	Gt
	Ge
	In
	NotIn
	Is
	IsNot
)

// String is the operator as it is written.
func (op CmpOp) String() string {
	return [...]string{"==", "!=", "<", "<=", ">", ">=", "in", "not in", "is", "is not"}[op]
}

// Compare is a op b.
func Compare(t *Thread, op CmpOp, a, b Object) (bool, error) {
	switch op {
	case Eq:
		return Equal(t, a, b)
	case Ne:
		eq, err := Equal(t, a, b)
		return !eq, err
	case In:
		return Contains(t, b, a)
	case NotIn:
		in, err := Contains(t, b, a)
		return !in, err
	case Is:
		return Same(a, b), nil
	case IsNot:
		return !Same(a, b), nil
	}
	if x, ok := a.(*Set); ok {
		if y, ok := b.(*Set); ok {
			return compareSets(t, op, x, y)
		}
	}
	if unordered(a) || unordered(b) {
		if _, _, ok := bothNumbers(a, b); ok {
			return false, nil
		}
	}
	c, err := order(t, op, a, b)
	return holds(op, c), err
}

func unordered(o Object) bool {
	f, ok := o.(Float)
	return ok && math.IsNaN(float64(f))
}

func bothNumbers(a, b Object) (x, y Object, ok bool) {
	return a, b, isNumber(a) && isNumber(b)
}

func isNumber(o Object) bool {
	switch o.(type) {
	case Int, Float, Bool, *Big:
		return true
	}
	return false
}

func holds(op CmpOp, c int) bool {
	switch op {
	case Lt:
		return c < 0
	case Le:
		return c <= 0
	case Gt:
		return c > 0
	}
	return c >= 0
}

// Same is a is b. Numbers, strings and other constants are the same when they
// are equal and of one type.
func Same(a, b Object) bool {
	if a == b {
		return true
	}
	switch x := a.(type) {
	case Float:
		y, ok := b.(Float)
		return ok && x != x && y != y
	case *Str:
		y, ok := b.(*Str)
		return ok && x.s == y.s
	case *Big:
		y, ok := b.(*Big)
		return ok && x.v.Cmp(y.v) == 0
	case *Tuple:
		y, ok := b.(*Tuple)
		return ok && len(x.items) == 0 && len(y.items) == 0
	}
	return false
}

// order compares for <, <=, > and >=.
func order(t *Thread, op CmpOp, a, b Object) (int, error) { //nolint:cyclop // one case for each type
	switch x := a.(type) {
	case Int:
		if y, ok := b.(Int); ok {
			return cmp.Compare(x, y), nil
		}
	case *Str:
		if y, ok := b.(*Str); ok {
			return strings.Compare(x.s, y.s), nil
		}
	case Bytes:
		if y, ok := b.(Bytes); ok {
			return strings.Compare(string(x), string(y)), nil
		}
	case *List:
		if y, ok := b.(*List); ok && x.deque == y.deque {
			return orderItems(t, op, x.Items(), y.Items())
		}
	case *Tuple:
		if y, ok := b.(*Tuple); ok {
			return orderItems(t, op, x.items, y.items)
		}
	case Comparer:
		if c, ok := x.Compare(b); ok {
			return c, nil
		}
	}
	if isNumber(a) && isNumber(b) {
		return compareNumbers(a, b), nil
	}
	return 0, TypeErrorf("'%s' not supported between instances of '%s' and '%s'", op, a.TypeName(), b.TypeName())
}

func orderItems(t *Thread, op CmpOp, a, b []Object) (int, error) {
	if err := t.descend("in comparison"); err != nil {
		return 0, err
	}
	defer t.ascend()
	for i := range min(len(a), len(b)) {
		eq, err := Equal(t, a[i], b[i])
		if err != nil {
			return 0, err
		}
		if !eq {
			return order(t, op, a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b)), nil
}

// compareNumbers compares exactly, whatever the types.
func compareNumbers(a, b Object) int {
	x, xFloat := a.(Float)
	y, yFloat := b.(Float)
	switch {
	case xFloat && yFloat:
		return cmp.Compare(x, y)
	case xFloat:
		return -compareIntFloat(b, float64(x))
	case yFloat:
		return compareIntFloat(a, float64(y))
	}
	p, _ := BigOf(a)
	q, _ := BigOf(b)
	return p.Cmp(q)
}

func compareIntFloat(i Object, f float64) int {
	switch {
	case math.IsInf(f, 1):
		return -1
	case math.IsInf(f, -1):
		return 1
	case math.IsNaN(f):
		return -1
	}
	p, _ := BigOf(i)
	return new(big.Float).SetInt(p).Cmp(big.NewFloat(f))
}

// Equal is a == b.
func Equal(t *Thread, a, b Object) (bool, error) {
	switch x := a.(type) {
	case *Str:
		y, ok := b.(*Str)
		return ok && x.s == y.s, nil
	case Int:
		if y, ok := b.(Int); ok {
			return x == y, nil
		}
	case NoneType, Bytes, Type:
		return a == b, nil
	case *List:
		y, ok := b.(*List)
		if !ok || x.deque != y.deque {
			return false, nil
		}
		return equalItems(t, x.Items(), y.Items(), a == b)
	case *Tuple:
		y, ok := b.(*Tuple)
		if !ok {
			return false, nil
		}
		return equalItems(t, x.items, y.items, a == b)
	}
	if isNumber(a) && isNumber(b) {
		return !unordered(a) && !unordered(b) && compareNumbers(a, b) == 0, nil
	}
	return equalRare(t, a, b)
}

func equalRare(t *Thread, a, b Object) (bool, error) { //nolint:cyclop // one case for each type
	switch x := a.(type) {
	case *Dict:
		y, ok := b.(*Dict)
		if !ok {
			return false, nil
		}
		return equalDicts(t, x, y)
	case *Set:
		y, ok := b.(*Set)
		if !ok || x.Len() != y.Len() {
			return false, nil
		}
		return subset(t, x, y)
	case *Range:
		y, ok := b.(*Range)
		return ok && x.N == y.N && (x.N == 0 || x.Start == y.Start && (x.N == 1 || x.Step == y.Step)), nil
	case *View:
		return equalViews(t, x, b)
	case Comparer:
		c, ok := x.Compare(b)
		return ok && c == 0, nil
	case Hasher:
		y, ok := b.(Hasher)
		return ok && a.TypeName() == b.TypeName() && x.HashKey() == y.HashKey(), nil
	}
	return a == b, nil
}

func equalItems(t *Thread, a, b []Object, same bool) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	if same {
		return true, nil
	}
	if err := t.descend("in comparison"); err != nil {
		return false, err
	}
	defer t.ascend()
	if err := t.Step(uint64(len(a)/8) + 1); err != nil {
		return false, err
	}
	for i := range a {
		if Same(a[i], b[i]) {
			continue
		}
		if eq, err := Equal(t, a[i], b[i]); err != nil || !eq {
			return false, err
		}
	}
	return true, nil
}

func equalDicts(t *Thread, a, b *Dict) (bool, error) {
	if a == b {
		return true, nil
	}
	if a.Len() != b.Len() {
		return false, nil
	}
	if err := t.descend("in comparison"); err != nil {
		return false, err
	}
	defer t.ascend()
	if err := t.Step(uint64(a.Len()/8) + 1); err != nil {
		return false, err
	}
	for i := a.next(0); i >= 0; i = a.next(i + 1) {
		e := a.entries[i]
		j := b.find(e.key)
		if j < 0 {
			return false, nil
		}
		if eq, err := Equal(t, e.v, b.entries[j].v); err != nil || !eq {
			return false, err
		}
	}
	return true, nil
}

func equalViews(t *Thread, v *View, b Object) (bool, error) {
	x, err := setOf(t, v)
	if err != nil || v.kind == "values" {
		return false, err
	}
	switch b.(type) {
	case *View, *Set:
	default:
		return false, nil
	}
	y, err := setOf(t, b)
	if err != nil {
		return false, err
	}
	return Equal(t, x, y)
}

// Contains is item in o.
func Contains(t *Thread, o, item Object) (bool, error) {
	switch o := o.(type) {
	case *Str:
		s, ok := item.(*Str)
		if !ok {
			return false, TypeErrorf("'in <string>' requires string as left operand, not %s", item.TypeName())
		}
		return strings.Contains(o.s, s.s), t.Work(len(o.s))
	case *Dict:
		_, ok, err := o.Get(t, item)
		return ok, err
	case *Set:
		return o.Has(t, item)
	case *List:
		i, err := indexIn(t, o.Items(), item)
		return i >= 0, err
	case *Tuple:
		i, err := indexIn(t, o.items, item)
		return i >= 0, err
	case *Range:
		return o.index(item) >= 0, nil
	case *View:
		if o.kind == "keys" {
			_, ok, err := o.d.Get(t, item)
			return ok, err
		}
	case Bytes:
		if b, ok := item.(Bytes); ok {
			return strings.Contains(string(o), string(b)), t.Work(len(o))
		}
	case Getter:
		if c, ok := o.(interface {
			Contains(t *Thread, item Object) (bool, error)
		}); ok {
			return c.Contains(t, item)
		}
	}
	return containsByIteration(t, o, item)
}

func containsByIteration(t *Thread, o, item Object) (bool, error) {
	it, err := Iterate(t, o)
	if err != nil {
		return false, TypeErrorf("argument of type '%s' is not iterable", o.TypeName())
	}
	for {
		v, ok, err := it.Next(t)
		if err != nil || !ok {
			return false, err
		}
		if err := t.Step(1); err != nil {
			return false, err
		}
		if eq, err := Equal(t, v, item); err != nil || eq {
			return eq, err
		}
	}
}

// indexIn finds item, or gives -1.
func indexIn(t *Thread, items []Object, item Object) (int, error) {
	if err := t.Work(len(items)); err != nil {
		return -1, err
	}
	for i, v := range items {
		if Same(v, item) {
			return i, nil
		}
		if eq, err := Equal(t, v, item); err != nil || eq {
			return i, err
		}
	}
	return -1, nil
}

// Truth is bool(o).
func Truth(o Object) bool {
	switch o := o.(type) {
	case Bool:
		return bool(o)
	case NoneType:
		return false
	case Int:
		return o != 0
	case Float:
		return o != 0
	case Bytes:
		return o != ""
	case *Str:
		return o.s != ""
	case interface{ Len() int }:
		return o.Len() != 0
	case *Tuple:
		return len(o.items) > 0
	case *Range:
		return o.N > 0
	case *View:
		return o.d.Len() > 0
	case interface{ Truth() bool }:
		return o.Truth()
	}
	return true
}

// Len is len(o).
func Len(o Object) (int, error) {
	switch o := o.(type) {
	case interface{ Len() int }:
		return o.Len(), nil
	case *Tuple:
		return len(o.items), nil
	case *Range:
		return o.N, nil
	case *View:
		return o.d.Len(), nil
	case Bytes:
		return len(o), nil
	}
	return 0, TypeErrorf("object of type '%s' has no len()", o.TypeName())
}
