package spec

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/value"
	"gopkg.in/yaml.v3"
)

// The plain scalars of YAML 1.2's core schema that are not text.
type patterns struct{ integer, octal, hex, float, special, zeros *regexp.Regexp }

func newPatterns() patterns {
	return patterns{
		integer: regexp.MustCompile(`^[-+]?[0-9]+$`),
		octal:   regexp.MustCompile(`^0o[0-7]+$`),
		hex:     regexp.MustCompile(`^0x[0-9a-fA-F]+$`),
		float:   regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`),
		special: regexp.MustCompile(`^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`),
		zeros:   regexp.MustCompile(`^[-+]?0[0-9]+$`),
	}
}

// scalarError says why a scalar has no value, and what to write instead.
type scalarError struct{ message, hint string }

// scalar returns the value of a scalar under YAML 1.2's core schema. Integers
// keep every digit; timestamps are text.
func (p patterns) scalar(n *yaml.Node) (value.Value, *scalarError) {
	tag := n.Tag
	if n.Style&yaml.TaggedStyle == 0 {
		if n.Style != 0 {
			return value.String(n.Value), nil
		}
		return p.plain(n.Value)
	}
	switch tag {
	case "!!str", "!", "!!timestamp":
		return value.String(n.Value), nil
	case "!!null", "!!bool", "!!int", "!!float":
		return p.tagged(tag, n.Value)
	case "!!binary":
		return value.Value{}, &scalarError{"binary data cannot stand in an agent", "write it as base64 text and decode it with the filter b64decode"}
	default:
		return value.Value{}, &scalarError{fmt.Sprintf("unknown tag %q", tag), "known: !!str, !!int, !!float, !!bool, !!null, !!map, !!seq"}
	}
}

func (p patterns) tagged(tag, text string) (value.Value, *scalarError) {
	v, err := p.plain(text)
	if err != nil {
		return v, err
	}
	kinds := map[string]value.Kind{"!!null": value.KindNull, "!!bool": value.KindBool, "!!int": value.KindInt, "!!float": value.KindFloat}
	if f, ok := v.AsFloat(); ok && tag == "!!float" {
		return value.Float(f), nil
	}
	if v.Kind() != kinds[tag] {
		return value.Value{}, &scalarError{fmt.Sprintf("%q is no %s", text, strings.TrimPrefix(tag, "!!")), ""}
	}
	return v, nil
}

func (p patterns) plain(text string) (value.Value, *scalarError) {
	switch text {
	case "", "~", "null", "Null", "NULL":
		return value.Null(), nil
	case "true", "True", "TRUE":
		return value.Bool(true), nil
	case "false", "False", "FALSE":
		return value.Bool(false), nil
	}
	switch {
	case p.zeros.MatchString(text):
		return value.Value{}, &scalarError{"a number must not begin with 0: it could be meant as octal, as decimal or as text",
			fmt.Sprintf("write %q in quotes, 0o%s for octal, or drop the zero", text, strings.TrimLeft(text, "+-0"))}
	case p.special.MatchString(text):
		return value.Value{}, &scalarError{text + " is not JSON", "quote it if it is text"}
	case p.integer.MatchString(text), p.octal.MatchString(text), p.hex.MatchString(text):
		return integer(text)
	case p.float.MatchString(text):
		return float(text)
	}
	return value.String(text), nil
}

// maxDigits bounds integers: reading one takes time in the square of its size.
const maxDigits = 10_000

// float reads a float in YAML's spelling, which allows ".5", "5." and "+5.0".
func float(text string) (value.Value, *scalarError) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return value.Value{}, &scalarError{text + " is too large for a float", "quote it if it is text"}
	}
	return value.Float(x), nil
}

func integer(text string) (value.Value, *scalarError) {
	base := 10
	if strings.HasPrefix(text, "0") && len(text) > 1 {
		base = 0
	}
	if len(text) > maxDigits {
		return value.Value{}, &scalarError{fmt.Sprintf("the number has more than %d digits", maxDigits), "quote it if it is text"}
	}
	i, ok := new(big.Int).SetString(text, base)
	if !ok {
		return value.Value{}, &scalarError{text + " is no number", "quote it if it is text"}
	}
	return value.BigInt(i), nil
}
