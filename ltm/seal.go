package ltm

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/sealed"
	"github.com/tea-agents/tea/value"
)

// A stored value is a version byte, a SHA-256 and the value as canonical JSON.
// The digest covers the version, the key with its space and namespace, the
// metadata, the times of update and expiry, and the JSON: what reads back is
// what was put, or it is ErrCorrupt.
const (
	sealVersion = 1
	sealBytes   = 1 + sha256.Size
)

// seal returns the bytes to store for JSON text.
func seal(r *driver.Record, data []byte) []byte {
	sum := digest(r, sealVersion, data)
	b := make([]byte, 0, sealBytes+len(data))
	b = append(b, sealVersion)
	b = append(b, sum[:]...)
	return append(b, data...)
}

// unseal returns the JSON text of a stored value, verified.
func unseal(r *driver.Record) ([]byte, error) {
	if len(r.Value) > 0 && r.Value[0] == sealed.Mark {
		return nil, fmt.Errorf("%w: the entry is encrypted: its key is named by the parameter %q", ErrConfig, paramEncrypt)
	}
	if len(r.Value) < sealBytes {
		return nil, fmt.Errorf("%w: the value is cut short", ErrCorrupt)
	}
	sum, data := r.Value[1:sealBytes], r.Value[sealBytes:]
	want := digest(r, sealVersion, data)
	intact := subtle.ConstantTimeCompare(sum, want[:]) == 1
	switch version := r.Value[0]; {
	case version > sealVersion && !intact:
		return nil, fmt.Errorf("%w: the entry has format %d, this program reads up to %d",
			ErrNewer, version, sealVersion)
	case version != sealVersion || !intact:
		return nil, fmt.Errorf("%w: the checksum does not fit", ErrCorrupt)
	}
	return data, nil
}

// digest is the checksum of a record whose value is data.
func digest(r *driver.Record, version byte, data []byte) [sha256.Size]byte {
	h := sha256.New()
	head := make([]byte, 0, 128)
	head = append(head, "tea ltm entry"...)
	head = append(head, version, byte(r.Key.Space))
	head = appendSized(head, r.Key.Namespace)
	head = appendSized(head, r.Key.Key)
	head = appendSized(head, string(r.Metadata))
	head = binary.BigEndian.AppendUint64(head, uint64(r.UpdatedAt))
	head = binary.BigEndian.AppendUint64(head, uint64(r.ExpiresAt))
	h.Write(head)
	h.Write(data)
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	return sum
}

func appendSized(dst []byte, s string) []byte {
	dst = binary.BigEndian.AppendUint64(dst, uint64(len(s)))
	return append(dst, s...)
}

// open verifies and decodes a record.
func open(r *driver.Record) (Entry, error) {
	data, err := unseal(r)
	if err != nil {
		return Entry{}, err
	}
	e := header(r)
	if e.Value, err = value.Parse(data); err != nil {
		return Entry{}, fmt.Errorf("%w: the value: %w", ErrCorrupt, err)
	}
	if e.Metadata, err = value.Parse(r.Metadata); err != nil {
		return Entry{}, fmt.Errorf("%w: the metadata: %w", ErrCorrupt, err)
	}
	return e, nil
}

// header returns the entry of a record without value and metadata.
func header(r *driver.Record) Entry {
	e := Entry{
		Namespace:  r.Key.Namespace,
		Key:        r.Key.Key,
		CreatedAt:  time.UnixMilli(r.CreatedAt).UTC(),
		UpdatedAt:  time.UnixMilli(r.UpdatedAt).UTC(),
		AccessedAt: time.UnixMilli(r.AccessedAt).UTC(),
		Revision:   r.Revision,
		Size:       r.Size,
	}
	if r.ExpiresAt != 0 {
		e.ExpiresAt = time.UnixMilli(r.ExpiresAt).UTC()
	}
	return e
}
