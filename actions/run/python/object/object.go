package object

import "math/big"

// Object is a Python value. Dynamic types are comparable with ==, which is
// identity for what lives behind a pointer.
type Object interface {
	// TypeName is the name that type(x).__name__ shows.
	TypeName() string
}

type (
	// NoneType is the type of None.
	NoneType struct{}
	// Bool is True or False.
	Bool bool
	// Int is an integer that fits in 64 bits; see Big for the others.
	Int int64
	// Big is an integer that does not fit in 64 bits. It is never changed.
	Big struct{ v *big.Int }
	// Float is a float.
	Float float64
	// Bytes is an immutable byte string.
	Bytes string
	// Type is a built-in type or exception class, by name.
	Type string
	// EllipsisType is the type of `...`.
	EllipsisType struct{}
	// NotImplementedType is the type of NotImplemented.
	NotImplementedType struct{}
)

// The singletons, as constants of a kind.
const (
	// True and False are the two booleans.
	True  = Bool(true)
	False = Bool(false)
)

// None returns None.
func None() Object { return NoneType{} }

// TypeName implements Object.
func (NoneType) TypeName() string { return "NoneType" }

// TypeName implements Object.
func (Bool) TypeName() string { return "bool" }

// TypeName implements Object.
func (Int) TypeName() string { return "int" }

// TypeName implements Object.
func (*Big) TypeName() string { return "int" }

// TypeName implements Object.
func (Float) TypeName() string { return "float" }

// TypeName implements Object.
func (Bytes) TypeName() string { return "bytes" }

// TypeName implements Object.
func (Type) TypeName() string { return "type" }

// TypeName implements Object.
func (EllipsisType) TypeName() string { return "ellipsis" }

// TypeName implements Object.
func (NotImplementedType) TypeName() string { return "NotImplementedType" }

// IsNone tells whether o is None or absent (a nil Object).
func IsNone(o Object) bool {
	if o == nil {
		return true
	}
	_, ok := o.(NoneType)
	return ok
}

// The interfaces below are what types of host modules implement to take part
// in Python's protocols. Built-in types are handled directly.
type (
	// Callable can be called.
	Callable interface {
		Object
		Call(t *Thread, a Args) (Object, error)
	}
	// Attributer has attributes of its own, apart from the methods of its type.
	// ok is false when there is none of that name.
	Attributer interface {
		Object
		Attr(t *Thread, name string) (v Object, ok bool, err error)
	}
	// AttrNamer lists attribute names, for suggestions.
	AttrNamer interface{ AttrNames() []string }
	// Operand takes part in binary operators. ok is false when it can't with
	// that other operand; reflected tells that it stands on the right.
	Operand interface {
		Binary(t *Thread, op Op, other Object, reflected bool) (v Object, ok bool, err error)
	}
	// Negater supports unary minus.
	Negater interface{ Negate() Object }
	// Comparer orders values. c is negative, zero or positive; ok is false when
	// the two have no order.
	Comparer interface {
		Compare(other Object) (c int, ok bool)
	}
	// Hasher can be a key of dictionaries and an element of sets.
	Hasher interface{ HashKey() Key }
	// Reprer gives its repr().
	Reprer interface {
		Repr(t *Thread) (string, error)
	}
	// Strer gives its str() when that is not its repr().
	Strer interface{ Str() string }
	// Formatter applies a format spec of its own, as dates do.
	Formatter interface {
		Format(spec string) (string, error)
	}
	// Iterable can be iterated over.
	Iterable interface{ Iterate(t *Thread) Iterator }
	// Getter supports x[key].
	Getter interface {
		GetItem(t *Thread, key Object) (Object, error)
	}
	// Iterator yields values; ok is false at the end.
	Iterator interface {
		Next(t *Thread) (v Object, ok bool, err error)
	}
)
