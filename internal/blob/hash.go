package blob

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"strings"

	"golang.org/x/crypto/blake2b"
)

// Algorithms returns the names of the hash algorithms, the default one first.
func Algorithms() []string {
	return []string{"sha256", "md5", "blake2b"}
}

// Fingerprint is the hash of a file and its stamp (Info.Stamp) from before it
// was read: when a later Stat gives another stamp, the file may have changed.
type Fingerprint struct {
	Hash  string // lower-case hex
	Size  int64  // bytes hashed
	Stamp string
}

// Hash returns the hash of a file in lower-case hex and its size. It streams:
// memory does not grow with the file. The algorithm "" is sha256; blake2b is
// BLAKE2b-512.
func (s *Storage) Hash(ctx context.Context, uri, algorithm string) (hexText string, size int64, err error) {
	h, err := newHash(algorithm)
	if err != nil {
		return "", 0, fail("hash", uri, err)
	}
	r, _, err := s.Read(ctx, uri)
	if err != nil {
		return "", 0, err
	}
	defer r.Close() //nolint:errcheck // only read from
	size, err = io.Copy(h, r)
	if err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// Fingerprint returns the hash of a file together with its stamp.
func (s *Storage) Fingerprint(ctx context.Context, uri, algorithm string) (Fingerprint, error) {
	info, err := s.Stat(ctx, uri)
	if err != nil {
		return Fingerprint{}, err
	}
	sum, size, err := s.Hash(ctx, uri, algorithm)
	if err != nil {
		return Fingerprint{}, err
	}
	return Fingerprint{Hash: sum, Size: size, Stamp: info.Stamp()}, nil
}

func newHash(algorithm string) (hash.Hash, error) {
	switch algorithm {
	case "", "sha256":
		return sha256.New(), nil
	case "md5":
		return md5.New(), nil
	case "blake2b":
		return blake2b.New512(nil)
	}
	return nil, invalidf("unknown hash algorithm %q; known are %s%s", algorithm,
		strings.Join(Algorithms(), ", "), meant(algorithm, Algorithms()))
}
