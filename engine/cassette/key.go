package cassette

import (
	"encoding/hex"
	"fmt"

	"github.com/tea-agents/tea/engine/cassette/internal/redact"
	"github.com/tea-agents/tea/value"
)

// prepare returns the request as it is kept: without secrets.
func (s *Session) prepare(r Request) Request {
	r.Key = redact.Value(names(r.Key), s.redact)
	r.ID, r.Node = s.text(r.ID), s.text(r.Node)
	r.Provider, r.Model = s.text(r.Provider), s.text(r.Model)
	r.Endpoint, r.Prompt = s.text(r.Endpoint), s.text(r.Prompt)
	return r
}

// hash returns the SHA-256 of a prepared request.
func hash(key value.Value, steps []normalizer) (string, error) {
	for _, n := range steps {
		key = n.apply(key)
	}
	sum, err := key.Digest()
	if err != nil {
		return "", fmt.Errorf("the request has no canonical form: %w", err)
	}
	return hex.EncodeToString(sum[:]), nil
}

// names puts in the place of every secret what it is called.
func names(v value.Value) value.Value {
	switch {
	case len(value.SecretNames(v)) == 0:
		return v
	case v.Kind() == value.KindSecret:
		var called []value.Value
		for _, n := range value.SecretNames(v) {
			called = append(called, value.String(n))
		}
		return value.Object(value.M("$secret", value.List(called...)), value.M("text", value.String(fmt.Sprint(v.Any()))))
	default:
		return each(v, func(_ string, m value.Value) (value.Value, bool) { return names(m), true })
	}
}
