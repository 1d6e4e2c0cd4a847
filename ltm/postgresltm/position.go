package postgresltm

import (
	"bytes"
	"crypto/sha256"

	"github.com/tea-agents/tea/ltm/driver"
)

// maxPlace is how much of a record's identity is in the index, the entries of
// which PostgreSQL limits to a third of a page.
const maxPlace = 1024

// identity returns a text for namespace and key that no other pair has, and
// that orders by its bytes as they do, one after the other: NUL is 00 ff in the
// namespace, and 00 01 ends it.
func identity(namespace, key string) []byte {
	id := appendNamespace(make([]byte, 0, len(namespace)+len(key)+8), namespace)
	return append(append(id, 0, 1), key...)
}

func appendNamespace(dst []byte, s string) []byte {
	for i := range len(s) {
		dst = append(dst, s[i])
		if s[i] == 0 {
			dst = append(dst, 0xff)
		}
	}
	return dst
}

// place is the beginning of an identity, by which records are ordered, and what
// tells apart those that begin alike: nothing for a short identity, else the
// digest of the whole.
func place(k *driver.Key) (head, rest []byte) {
	id := identity(k.Namespace, k.Key)
	if len(id) <= maxPlace {
		return id, []byte{}
	}
	digest := sha256.Sum256(id)
	return id[:maxPlace], digest[:]
}

// next returns the first text after all that begin with p, nil if there is none.
func next(p []byte) []byte {
	n := len(p)
	for n > 0 && p[n-1] == 0xff {
		n--
	}
	if n == 0 {
		return nil
	}
	end := bytes.Clone(p[:n])
	end[n-1]++
	return end
}
