package ioschema

import (
	"regexp"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/value"
)

// field is the declared shape of one value.
type field struct {
	key      string
	typ      typ
	required bool
	fallback *value.Value // default; nil: none

	min, max       *value.Value
	minLen, maxLen *int
	pattern        *regexp.Regexp
	choices        []value.Value

	properties []*field
	items      *field
	json       *validator // nil: the short form
	soft       bool       // convert only; a JSON Schema judges
	source     *spec.Data
}

// typ is a declared type.
type typ string

const (
	tAny    typ = "any"
	tStr    typ = "str"
	tInt    typ = "int"
	tFloat  typ = "float"
	tNumber typ = "number"
	tBool   typ = "bool"
	tList   typ = "list"
	tDict   typ = "dict"
)

// typeNames are the types by the words for them, JSON Schema's among them.
func typeNames() map[string]typ {
	return map[string]typ{
		"any": tAny, "str": tStr, "int": tInt, "float": tFloat, "bool": tBool, "list": tList, "dict": tDict,
		"string": tStr, "integer": tInt, "number": tNumber, "boolean": tBool, "array": tList, "object": tDict,
	}
}

// shortNames are the words that messages suggest.
func shortNames() []string { return []string{"any", "str", "int", "float", "bool", "list", "dict"} }

// article returns the type with its article, for messages.
func (t typ) article() string {
	switch t {
	case tStr:
		return "text"
	case tInt:
		return "a whole number"
	case tFloat, tNumber:
		return "a number"
	case tBool:
		return "true or false"
	case tList:
		return "a list"
	case tDict:
		return "an object"
	default:
		return "any value"
	}
}
