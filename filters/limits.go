package filters

import "github.com/tea-agents/tea/value"

// What one evaluation may cost at most. Going beyond is an error.
const (
	MaxSteps  = 5_000_000 // evaluated nodes, loop rounds and touched elements
	MaxOutput = 10 << 20  // bytes of rendered text, and of any text made on the way
	MaxItems  = 1_000_000 // elements of a list made by an expression
	MaxRange  = 100_000   // elements of range()
	MaxDepth  = 200       // nested brackets, and nested tags
	MaxSource = 10 << 20  // bytes of a source that holds expressions
)

const (
	maxTokens  = 20_000   // of one expression
	maxNesting = 500      // of a value made by an expression
	maxBits    = 1 << 17  // of an integer
	maxResult  = 64 << 20 // bytes of JSON of a value made by an expression
)

// measure walks v to learn whether it can be written out, which a value that
// shares its parts many times over may not be, however small it is in memory.
// It stops where a limit is passed.
type measure struct {
	limit  int // bytes
	each   int // bytes that every node counts at least
	left   int // bytes
	nodes  int // walked
	secret bool
	deep   bool
}

// asText measures a value that is to be written out.
func asText(v value.Value) measure { return measured(v, measure{limit: MaxOutput, each: 3}) }

// asValue measures a value that an expression made.
func asValue(v value.Value) measure { return measured(v, measure{limit: maxResult, each: 16}) }

func measured(v value.Value, m measure) measure {
	m.left = m.limit
	m.walk(v, 0)
	return m
}

func (m *measure) walk(v value.Value, depth int) {
	m.nodes++
	m.left -= m.each
	if depth > maxNesting {
		m.deep = true
	}
	if m.left < 0 || m.deep {
		return
	}
	switch v.Kind() {
	case value.KindString:
		m.left -= len(v.Text())
	case value.KindSecret:
		m.secret = true
	case value.KindList:
		for _, item := range v.Items() {
			if m.walk(item, depth+1); m.left < 0 || m.deep {
				return
			}
		}
	case value.KindObject:
		for key, item := range v.Members() {
			m.left -= len(key)
			if m.walk(item, depth+1); m.left < 0 || m.deep {
				return
			}
		}
	default:
	}
}

func (m *measure) err() error {
	switch {
	case m.deep:
		return failf("the value is nested more than %d deep", maxNesting)
	case m.left < 0:
		return failf("the result is larger than %d MiB", m.limit>>20)
	}
	return nil
}

func errTooLarge() *fault {
	return failf("the result is larger than %d MiB", MaxOutput>>20)
}

func errTooMany() *fault {
	return failf("the result has more than %d elements", MaxItems)
}

func errSecret() *fault {
	return failf("a secret can only be inserted into text").
		withHint("join it with text by {{ }} or ~, pass it on whole, or test it with `is defined`")
}
