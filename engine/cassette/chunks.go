package cassette

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/tea-agents/tea/value"
)

// cleanChunks masks secrets in chunks, also those that only a chunk and its
// neighbours together make up. Boundaries stay where they are, but a secret that
// crosses them is masked in the first chunk and gone from the others.
func (s *Session) cleanChunks(chunks []Chunk) []Chunk {
	if len(chunks) == 0 {
		return nil
	}
	clean := slices.Clone(chunks)
	s.cleanBytes(clean)
	s.cleanData(clean)
	for i, c := range clean {
		clean[i].Data = s.key(c.Data)
	}
	return clean
}

func (s *Session) cleanBytes(chunks []Chunk) {
	pieces := make([]string, len(chunks))
	for i, c := range chunks {
		pieces[i] = string(c.Bytes)
	}
	for i, p := range maskAcross(pieces, s.redact) {
		chunks[i].Bytes = nil
		if p != "" {
			chunks[i].Bytes = []byte(p)
		}
	}
}

// cleanData masks what the texts in one place of all chunks spell together, as
// the parts of an answer or of the arguments of a tool do.
func (s *Session) cleanData(chunks []Chunk) {
	spelt := map[string][]string{}
	for _, c := range chunks {
		eachText(c.Data, "", func(place, text string) string {
			spelt[place] = append(spelt[place], text)
			return text
		})
	}
	changed := false
	for place, pieces := range spelt {
		masked := maskAcross(pieces, s.redact)
		changed = changed || !slices.Equal(masked, pieces)
		spelt[place] = masked
	}
	if !changed {
		return
	}
	for i, c := range chunks {
		chunks[i].Data = eachText(c.Data, "", func(place, _ string) string {
			text := spelt[place][0]
			spelt[place] = spelt[place][1:]
			return text
		})
	}
}

// eachText returns v with every string replaced by f, which is told where it
// stands. Objects that have an index stand in places of their own.
func eachText(v value.Value, place string, f func(place, text string) string) value.Value {
	switch v.Kind() {
	case value.KindString:
		return value.String(f(place, v.Text()))
	case value.KindObject:
		if i, ok := v.At("index").AsInt(); ok {
			place += "#" + strconv.FormatInt(i, 10)
		}
		return each(v, func(key string, m value.Value) (value.Value, bool) { return eachText(m, place+"."+key, f), true })
	case value.KindList:
		return each(v, func(key string, m value.Value) (value.Value, bool) { return eachText(m, place+"."+key, f), true })
	default:
		return v
	}
}

// maskAcross masks what the pieces spell together. Each piece for itself would do
// only where nothing crosses a boundary: one that ends within a secret may look
// like a whole one, and the rest of it like none.
func maskAcross(pieces []string, mask func(string) string) []string {
	clean := make([]string, len(pieces))
	for i, p := range pieces {
		clean[i] = mask(p)
	}
	if strings.Join(clean, "") == mask(strings.Join(pieces, "")) {
		return clean
	}
	copy(clean, pieces)
	for range pieces {
		whole := strings.Join(clean, "")
		if mask(whole) == whole {
			break
		}
		mergeFirst(clean, mask)
	}
	for i, p := range clean { // what looks like a secret only where it stands alone
		clean[i] = mask(p)
	}
	return clean
}

// mergeFirst puts the first run of pieces that together hold a secret, masked,
// into the first of them.
func mergeFirst(pieces []string, mask func(string) string) {
	holds := func(from, to int) bool {
		s := strings.Join(pieces[from:to], "")
		return mask(s) != s
	}
	to := 1 + sort.Search(len(pieces)-1, func(i int) bool { return holds(0, i+1) })
	from := sort.Search(to, func(i int) bool { return !holds(i, to) }) - 1
	from = max(from, 0)
	masked := mask(strings.Join(pieces[from:to], ""))
	for to < len(pieces) { // the secret may go on
		longer := mask(strings.Join(pieces[from:to+1], ""))
		if longer == masked+pieces[to] {
			break
		}
		masked = longer
		to++
	}
	pieces[from] = masked
	clear(pieces[from+1 : to])
}
