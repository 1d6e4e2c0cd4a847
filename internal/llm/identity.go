package llm

import (
	"strconv"
	"strings"

	"github.com/tea-agents/tea/value"
)

// noCacheMark in any text of a question keeps it out of every cache.
const noCacheMark = "TEA_NOCACHE"

// Identity returns what makes two calls of a model the same: all of an input
// that Effective has completed, with "operation" (chat or embed), but without
// what has no bearing on the answer: credentials and headers, timeouts and
// retries, whether it streams, who asks, how it is cached and what it costs.
// A parameter that nobody knows takes part. Spellings that mean the same give
// the same identity, and so do llm.call and llm.stream. Secrets stay as they
// are; such an identity has no canonical form yet.
func Identity(action string, effective value.Value) value.Value {
	id := effective
	for _, key := range withoutBearing() {
		id = id.Without(key)
	}
	for key, m := range id.Members() {
		if m = plain(key, m); m.IsNull() {
			id = id.Without(key)
		} else {
			id = id.With(key, m)
		}
	}
	return id.With("operation", value.String(operation(action)))
}

// withoutBearing returns the parameters that do not change an answer.
func withoutBearing() []string {
	return []string{
		"api_key", "headers", "timeout", "retry", "retries", "max_retries",
		"stream", "user", "cache", "sensitive", "prices",
	}
}

func operation(action string) string {
	if strings.HasSuffix(action, "embed") {
		return "embed"
	}
	return "chat"
}

// plain returns the plainest spelling of a parameter, null if that is none.
func plain(key string, m value.Value) value.Value {
	switch key {
	case "temperature", "top_p":
		return asFloat(m)
	case "max_tokens", "seed", "sample", "dimensions":
		return asInt(m)
	case "stop":
		return asList(m)
	case "response_format":
		if f, err := ParseFormat(m); err == nil {
			return f.value()
		}
	case "extra":
		if m.Kind() == value.KindObject {
			if m = m.Without("user").Without("stream").Without("stream_options"); m.Len() == 0 {
				return value.Null()
			}
		}
	}
	return m
}

// asFloat returns the float that a number, or its text, stands for.
func asFloat(m value.Value) value.Value {
	if f, ok := m.AsFloat(); ok {
		return value.Float(f)
	}
	if f, err := strconv.ParseFloat(strings.TrimSpace(m.Text()), 64); err == nil {
		return value.Float(f)
	}
	return m
}

// asInt returns the integer that a whole number, or its text, stands for.
func asInt(m value.Value) value.Value {
	if f, ok := m.AsFloat(); ok && m.Kind() == value.KindFloat && f == float64(int64(f)) {
		return value.Int(int64(f))
	}
	if i, err := strconv.ParseInt(strings.TrimSpace(m.Text()), 10, 64); err == nil {
		return value.Int(i)
	}
	return m
}

// asList returns a list of the one thing that is no list.
func asList(m value.Value) value.Value {
	if m.Kind() == value.KindList {
		return m
	}
	return value.List(m)
}

// Private tells whether a call must leave no trace in a cache: it says
// sensitive, or a text in its question has the mark TEA_NOCACHE in it.
func Private(effective value.Value) bool {
	if sensitive(effective.At("sensitive")) {
		return true
	}
	for _, key := range []string{"messages", "input", "prompt", "system"} {
		if strings.Contains(effective.At(key).String(), noCacheMark) {
			return true
		}
	}
	return false
}

// sensitive reads the parameter; what it cannot read counts as yes.
func sensitive(v value.Value) bool {
	if v.IsNull() {
		return false
	}
	if b, ok := v.AsBool(); ok {
		return b
	}
	if f, ok := v.AsFloat(); ok {
		return f != 0
	}
	switch s, ok := v.AsString(); strings.ToLower(strings.TrimSpace(s)) {
	case "", "false", "no", "off", "none", "0":
		return !ok
	}
	return true
}
