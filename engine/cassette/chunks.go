package cassette

import "slices"

// cleanChunks masks secrets in chunks.
func (s *Session) cleanChunks(chunks []Chunk) []Chunk {
	clean := slices.Clone(chunks)
	for i, c := range clean {
		clean[i].Data, clean[i].Bytes = s.key(c.Data), s.bytes(c.Bytes)
	}
	return clean
}
