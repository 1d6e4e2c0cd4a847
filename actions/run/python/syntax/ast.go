package syntax

import "github.com/tea-agents/tea/actions/run/python/object"

// Pos is a place in the source.
type Pos = object.Pos

// Expr is an expression; Stmt is a statement. Both know where they start.
type (
	// Expr is an expression.
	Expr interface{ Start() Pos }
	// Stmt is a statement.
	Stmt interface{ Start() Pos }
)

// RefKind tells where the variable of a name lives.
type RefKind uint8

// Where variables live.
const (
	Universal RefKind = iota // nowhere in the source: predeclared or builtin
	Local                    // in the frame of the function
	Cell                     // in the frame, shared with inner functions or taken from outer ones
	Global                   // at the top level
)

// Ref is the variable that a name stands for.
type Ref struct {
	Kind  RefKind
	Index int
}

// Expressions.
type (
	// Const is a literal.
	Const struct {
		Pos
		Value object.Object
	}
	// Name is a variable.
	Name struct {
		Pos
		Ident string
		Ref   Ref
	}
	// FString is an f-string.
	FString struct {
		Pos
		Parts []FPart
	}
	// FPart is literal text (X is nil) or a replacement field.
	FPart struct {
		Text string
		X    Expr
		Conv string // "", s, r or a
		Spec []FPart
	}
	// Unary is not x, -x, +x or ~x.
	Unary struct {
		Pos
		Op byte // n for not, else - + ~
		X  Expr
	}
	// Binary is an arithmetic operation.
	Binary struct {
		Pos
		Op   object.Op
		L, R Expr
	}
	// Logic is a chain of and, or of or.
	Logic struct {
		Pos
		And bool
		Xs  []Expr
	}
	// Compare is a chain of comparisons.
	Compare struct {
		Pos
		First Expr
		Ops   []object.CmpOp
		Rest  []Expr
	}
	// IfExpr is a if cond else b.
	IfExpr struct {
		Pos
		Cond, Then, Else Expr
	}
	// Call is a call. Its Pos is that of the function.
	Call struct {
		Pos
		Func  Expr
		Args  []Arg
		Plain bool // positional arguments only, no stars
	}
	// Arg is an argument: positional, named, or with one or two stars.
	Arg struct {
		Name  string
		Stars int
		X     Expr
	}
	// Attribute is x.name. NamePos is where the name stands.
	Attribute struct {
		Pos
		X       Expr
		Name    string
		NamePos Pos
	}
	// Subscript is x[index].
	Subscript struct {
		Pos
		X, Index Expr
	}
	// SliceExpr is lo:hi:step inside a subscript; parts may be nil.
	SliceExpr struct {
		Pos
		Lo, Hi, Step Expr
	}
	// Display is a list, tuple or set of elements.
	Display struct {
		Pos
		Kind  DisplayKind
		Elts  []Expr
		Stars bool // some element is Starred
	}
	// DictExpr is a dictionary display; a nil key means **value.
	DictExpr struct {
		Pos
		Keys, Values []Expr
	}
	// Starred is *x in a display, an argument list or a target.
	Starred struct {
		Pos
		X Expr
	}
	// Lambda is an anonymous function.
	Lambda struct {
		Pos
		Func *Func
	}
	// Comp is a comprehension or generator expression. First is the iterable
	// of the first clause, which belongs to the enclosing scope.
	Comp struct {
		Pos
		Kind    DisplayKind
		Elt     Expr
		Value   Expr // of a dict comprehension, else nil
		First   Expr
		Clauses []Clause
		Code    Code
	}
	// Clause is one for of a comprehension with the ifs after it. The Iter of
	// the first is nil.
	Clause struct {
		Target Expr
		Iter   Expr
		Conds  []Expr
	}
	// Walrus is name := value.
	Walrus struct {
		Pos
		Target *Name
		Value  Expr
	}
)

// DisplayKind tells what a display or comprehension makes.
type DisplayKind uint8

// The kinds of displays and comprehensions.
const (
	ListKind DisplayKind = iota
	TupleKind
	SetKind
	DictKind
	GeneratorKind
)

// Statements.
type (
	// ExprStmt is an expression for its effect.
	ExprStmt struct {
		Pos
		X Expr
	}
	// Assign assigns a value to one or more targets.
	Assign struct {
		Pos
		Targets []Expr
		Value   Expr
	}
	// AugAssign is target op= value.
	AugAssign struct {
		Pos
		Target Expr
		Op     object.Op
		Value  Expr
	}
	// Return leaves a function, or the program. X may be nil.
	Return struct {
		Pos
		X Expr
	}
	// If is if, elif and else.
	If struct {
		Pos
		Cond       Expr
		Then, Else []Stmt
	}
	// While is a loop; Else runs unless it was left by break.
	While struct {
		Pos
		Cond       Expr
		Body, Else []Stmt
	}
	// For is a loop; Else runs unless it was left by break.
	For struct {
		Pos
		Target     Expr
		Iter       Expr
		Body, Else []Stmt
	}
	// Jump is break, continue or pass.
	Jump struct {
		Pos
		Kind string
	}
	// Def defines a function.
	Def struct {
		Pos
		Name *Name
		Func *Func
	}
	// Import binds Name to a module, or to its member From when that is set.
	Import struct {
		Pos
		Module string
		Member string
		Name   *Name
	}
	// Del deletes variables and elements.
	Del struct {
		Pos
		Targets []Expr
	}
	// Raise raises an exception; X may be nil.
	Raise struct {
		Pos
		X, From Expr
	}
	// Assert checks a condition.
	Assert struct {
		Pos
		Cond, Msg Expr
	}
	// Declare is global or nonlocal; it does nothing when run.
	Declare struct {
		Pos
		Global bool
		Names  []*Name
	}
)

// Func is the code of a function.
type Func struct {
	Name   string
	Params []Param
	Body   []Stmt // nil for a lambda
	Expr   Expr   // of a lambda
	Code   Code
}

// Param is a parameter.
type Param struct {
	Name    *Name
	Default Expr // nil: none
	Stars   int  // 1: *args, 2: **kwargs
	KwOnly  bool
	PosOnly bool
}

// Code tells how large a frame is and what it shares.
type Code struct {
	Slots int   // local variables
	Own   []int // for each cell of its own, the slot of the parameter that fills it, or -1
	Free  []int // the cells taken over from the enclosing frame
}

// File is a program.
type File struct {
	Body      []Stmt
	Globals   []string // the names of the global variables
	Export    []bool   // for each global: holds data, by how it is bound
	HasReturn bool     // at the top level
}
