package postgresltm

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// The limits of PostgreSQL's text search.
const (
	maxLexeme    = 2046 // bytes
	maxPositions = 255  // of one lexeme
	lastPosition = 16383
	maxVector    = 1_000_000 // bytes in one vector, a little less than it may have
)

// lexeme returns what stands for a word in vectors and queries.
func lexeme(word string) string {
	word = escape(word)
	if len(word) <= maxLexeme {
		return word
	}
	digest := sha256.Sum256([]byte(word))
	return "\x01#" + hex.EncodeToString(digest[:]) // which escape never makes
}

// quote writes a lexeme for PostgreSQL to read.
func quote(lexeme string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(lexeme) + "'"
}

// vector returns terms as a tsvector with positions, nil when there are none. It
// is not ok when they are too many for one.
func vector(terms string) (text *string, ok bool) {
	if terms == "" {
		return nil, true
	}
	places := map[string][]int{}
	size, at := 0, 0
	for word := range strings.SplitSeq(terms, " ") {
		if word == "" {
			continue
		}
		at = min(at+1, lastPosition)
		l := lexeme(word)
		known, seen := places[l]
		if !seen {
			size += len(l) + 4
		}
		if len(known) < maxPositions && (!seen || known[len(known)-1] < at) {
			places[l] = append(known, at)
			size += 2
		}
		if size > maxVector {
			return nil, false
		}
	}
	var b strings.Builder
	for l, positions := range places { // in whatever order
		b.WriteString(quote(l))
		for i, p := range positions {
			b.WriteByte(":,"[min(i, 1)])
			b.WriteString(strconv.Itoa(p))
		}
		b.WriteByte(' ')
	}
	whole := b.String()
	return &whole, true
}

// match returns a tsquery for vectors that hold all terms.
func match(terms []string) string {
	quoted := make([]string, len(terms))
	for i, term := range terms {
		quoted[i] = quote(lexeme(term))
	}
	return strings.Join(quoted, " & ")
}

// escaped returns each term escaped.
func escaped(terms []string) []string {
	all := make([]string, len(terms))
	for i, term := range terms {
		all[i] = escape(term)
	}
	return all
}
