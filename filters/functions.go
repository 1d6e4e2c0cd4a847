package filters

import "github.com/tea-agents/tea/value"

// function is what an expression can call by name.
type function struct {
	name, signature string
	params          *params
	run             func(e *env, a Args) (value.Value, error)
}

func allFunctions() []function {
	return []function{
		{name: "range", signature: "(start, stop=none, step=1)", run: rangeOf},
		{name: "dict", signature: "(of={}, **named)", run: dictOf},
		{name: "namespace", signature: "(of={}, **named)", run: dictOf},
	}
}

func rangeOf(e *env, a Args) (value.Value, error) {
	start, err := a.Int("start")
	if err != nil {
		return value.Null(), err
	}
	stop := start
	if a.Value("stop").IsNull() {
		start = 0
	} else if stop, err = a.Int("stop"); err != nil {
		return value.Null(), err
	}
	step, err := a.Int("step")
	if err != nil {
		return value.Null(), err
	}
	if step == 0 {
		return value.Null(), failf("the step of range must not be 0")
	}
	count := rangeLen(start, stop, step)
	if count > MaxRange {
		return value.Null(), failf("range of more than %d elements", MaxRange)
	}
	items := make([]value.Value, count)
	for i := range items {
		items[i] = value.Int(int64(start + i*step))
	}
	return value.List(items...), e.tick(len(items))
}

// rangeLen is how many elements a range has. It counts unsigned, so that no
// bound overflows.
func rangeLen(start, stop, step int) uint64 {
	switch {
	case step > 0 && start < stop:
		return (uint64(stop)-uint64(start)-1)/uint64(step) + 1
	case step < 0 && start > stop:
		return (uint64(start)-uint64(stop)-1)/-uint64(step) + 1
	}
	return 0
}

func dictOf(_ *env, a Args) (value.Value, error) {
	of := a.Value("of")
	if of.Kind() == value.KindList {
		pairs := make([]value.Member, 0, of.Len())
		for _, pair := range of.Items() {
			if pair.Kind() != value.KindList || pair.Len() != 2 {
				return value.Null(), failf("dict takes a list of pairs")
			}
			key, ok := keyText(pair.Index(0))
			if !ok {
				return value.Null(), failf("%s cannot be a key", aKind(pair.Index(0)))
			}
			pairs = append(pairs, value.M(key, pair.Index(1)))
		}
		of = value.Object(pairs...)
	}
	if of.Kind() != value.KindObject {
		return value.Null(), a.wrong("of", "an object or a list of pairs", of)
	}
	return of.Merge(value.Object(a.Named()...)), nil
}
