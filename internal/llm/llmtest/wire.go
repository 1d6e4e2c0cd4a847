package llmtest

import (
	"crypto/sha256"
	"net/http"

	"github.com/tea-agents/tea/value"
)

// created is the time of all answers, 2026-01-01.
const created = 1767225600

// m is an object from pairs of key and value.
func m(pairs ...any) value.Value {
	members := make([]value.Member, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		members = append(members, value.M(pairs[i].(string), value.Must(pairs[i+1])))
	}
	return value.Object(members...)
}

func list(items ...value.Value) value.Value { return value.List(items...) }

// message is what an error says.
func (a Answer) message() string {
	if a.Error != "" {
		return a.Error
	}
	return http.StatusText(a.Status)
}

// code is an error's code, or the usual one.
func (a Answer) code(usual string) string {
	if a.Code != "" {
		return a.Code
	}
	return usual
}

// vector returns the answer's vector for the text with an index, or one that
// depends on the text alone.
func (a Answer) vector(i int, text string) []float64 {
	if i < len(a.Vectors) {
		return a.Vectors[i]
	}
	sum := sha256.Sum256([]byte(text))
	return []float64{float64(sum[0]) / 256, float64(sum[1]) / 256, float64(sum[2]) / 256}
}

func numbers(vector []float64) value.Value {
	items := make([]value.Value, len(vector))
	for i, x := range vector {
		items[i] = value.Float(x)
	}
	return value.List(items...)
}

// texts returns a text, or a list of them.
func texts(v value.Value) []string {
	if s, ok := v.AsString(); ok {
		return []string{s}
	}
	var all []string
	for _, item := range v.Items() {
		all = append(all, item.Text())
	}
	return all
}

// halves cuts a text in two, for the pieces of a stream.
func halves(s string) []string {
	i := len(s) / 2
	for i > 0 && i < len(s) && s[i]&0xC0 == 0x80 {
		i-- // not inside a character
	}
	if i == 0 {
		return []string{s}
	}
	return []string{s[:i], s[i:]}
}

// parse reads arguments; what is no JSON becomes its text.
func parse(arguments string) value.Value {
	v, err := value.Parse([]byte(arguments))
	if err != nil {
		return value.String(arguments)
	}
	return v
}
