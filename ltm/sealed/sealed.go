package sealed

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// Store is a driver.Store that encrypts what another one keeps. Make one with
// New.
type Store struct {
	driver.Layer
	keys  []sealer // the first one encrypts
	clear bool
	part  string
}

// Options are the choices of New. A nil *Options is all defaults.
type Options struct {
	ClearMetadata bool // metadata are not encrypted
	// Part tells this store from others that use the same key: what one has
	// encrypted no other decrypts.
	Part string
}

// sealer is a key that is ready for use.
type sealer struct {
	Key
	aead cipher.AEAD // with a random nonce in front
}

// Sealed bytes are a version byte, the id of the key, and the nonce with the
// text and the tag of AES-GCM.
const (
	version  = Mark
	header   = 1 + 4
	overhead = header + 12 + 16
)

// Mark is the first byte of all that is encrypted.
const Mark = 0xe1

// What is sealed, so that one is never taken for the other.
const (
	isValue    = "value"
	isMetadata = "metadata"
	isCheck    = "check"
)

// member is under what the encrypted metadata stand.
const member = "sealed"

// New returns s with all that it keeps encrypted by the first key; the others
// still decrypt. It makes sure that the keys are those the store was written
// with, else it returns an error that wraps driver.ErrConfig. A store that is
// returned owns s from now on.
func New(ctx context.Context, s driver.Store, keys []Key, o *Options) (*Store, error) {
	if len(keys) == 0 {
		return nil, fmt.Errorf("%w: no encryption key", driver.ErrConfig)
	}
	if o == nil {
		o = &Options{}
	}
	sealed := &Store{Layer: driver.Layer{Store: s}, clear: o.ClearMetadata, part: o.Part}
	for _, key := range keys {
		block, err := aes.NewCipher(key.values[:])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", driver.ErrConfig, err)
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", driver.ErrConfig, err)
		}
		sealed.keys = append(sealed.keys, sealer{key, aead})
	}
	return sealed, sealed.checkKeys(ctx)
}

// checkKeys compares the keys with the store's note of its key, and makes that
// note in a new store.
func (s *Store) checkKeys(ctx context.Context) error {
	note := driver.Key{Space: driver.Meta, Key: "sealed"}
	r, err := s.Store.Get(ctx, note)
	if errors.Is(err, driver.ErrNotFound) {
		_, err = s.Store.Put(ctx, driver.Record{
			Key: note, Value: s.seal(isCheck, note, s.form()), Metadata: []byte("{}"), UpdatedAt: 1,
		}, driver.Condition{Absent: true})
		switch {
		case errors.Is(err, driver.ErrConflict): // somebody else made it meanwhile
			r, err = s.Store.Get(ctx, note)
		case err == nil, errors.Is(err, driver.ErrReadOnly):
			return nil
		}
	}
	if err != nil {
		return err
	}
	form, err := s.unseal(isCheck, note, r.Value)
	if err == nil && !bytes.Equal(form, s.form()) {
		err = fmt.Errorf("%w: the store was made with %s, and is opened with %s", driver.ErrConfig, form, s.form())
	}
	return err
}

// form says how the store is encrypted, in the words of its URL.
func (s *Store) form() []byte { return fmt.Appendf(nil, "encrypt_metadata=%t", !s.clear) }

// bound returns what sealed bytes are bound to.
func (s *Store) bound(what string, k driver.Key) []byte {
	b := append([]byte("tea sealed"), version, byte(k.Space))
	for _, text := range []string{what, s.part, k.Namespace, k.Key} {
		b = binary.BigEndian.AppendUint64(b, uint64(len(text)))
		b = append(b, text...)
	}
	return b
}

// seal encrypts data of the record under k.
func (s *Store) seal(what string, k driver.Key, data []byte) []byte {
	key := &s.keys[0]
	b := make([]byte, 0, overhead+len(data))
	b = append(b, version)
	b = append(b, key.id[:]...)
	return key.aead.Seal(b, nil, data, s.bound(what, k)) //nolint:gosec // it makes a random nonce itself
}

// unseal decrypts what seal made.
func (s *Store) unseal(what string, k driver.Key, data []byte) ([]byte, error) {
	if len(data) < overhead || data[0] != version {
		return nil, fmt.Errorf("%w: the %s of %.100q is not encrypted, or not in a way that this version knows",
			driver.ErrCorrupt, what, k.Key)
	}
	id := [4]byte(data[1:header])
	for i := range s.keys {
		if s.keys[i].id != id {
			continue
		}
		text, err := s.keys[i].aead.Open(nil, nil, data[header:], s.bound(what, k))
		if err != nil {
			return nil, fmt.Errorf("%w: the %s of %.100q does not decrypt: it is damaged, or was moved from another key",
				driver.ErrCorrupt, what, k.Key)
		}
		if text == nil {
			text = []byte{}
		}
		return text, nil
	}
	return nil, fmt.Errorf("%w: it was encrypted with the key %x, and the key given is %s; "+
		"give the right key, or both, separated by a comma", driver.ErrConfig, id, s.keys[0])
}

// encrypt returns r as it is stored.
func (s *Store) encrypt(r driver.Record) driver.Record {
	r.Value = s.seal(isValue, r.Key, r.Value)
	if !s.clear {
		text := base64.RawStdEncoding.EncodeToString(s.seal(isMetadata, r.Key, r.Metadata))
		r.Metadata = []byte(`{"` + member + `":"` + text + `"}`)
	}
	r.Terms = s.hashed(r.Terms)
	return r
}

// decrypt turns what is stored into the record.
func (s *Store) decrypt(r *driver.Record) error {
	r.Size -= overhead
	if r.Value != nil {
		v, err := s.unseal(isValue, r.Key, r.Value)
		if err != nil {
			return err
		}
		r.Value = v
	}
	if r.Metadata == nil || s.clear {
		return nil
	}
	m, err := value.Parse(r.Metadata)
	if err != nil {
		return fmt.Errorf("%w: metadata of %.100q: %w", driver.ErrCorrupt, r.Key.Key, err)
	}
	data, err := base64.RawStdEncoding.DecodeString(m.At(member).Text())
	if err != nil {
		return fmt.Errorf("%w: metadata of %.100q: %w", driver.ErrCorrupt, r.Key.Key, err)
	}
	r.Metadata, err = s.unseal(isMetadata, r.Key, data)
	return err
}

// Get implements driver.Store.
func (s *Store) Get(ctx context.Context, key driver.Key) (driver.Record, error) {
	r, err := s.Store.Get(ctx, key)
	if err != nil {
		return r, err
	}
	return r, s.decrypt(&r)
}

// GetBatch implements driver.BatchGetter.
func (s *Store) GetBatch(ctx context.Context, keys []driver.Key) (map[driver.Key]driver.Record, error) {
	found, err := s.Layer.GetBatch(ctx, keys)
	if err != nil {
		return nil, err
	}
	for key, r := range found {
		if err := s.decrypt(&r); err != nil {
			return nil, err
		}
		found[key] = r
	}
	return found, nil
}

// Put implements driver.Store.
func (s *Store) Put(ctx context.Context, r driver.Record, c driver.Condition) (bool, error) {
	return s.Store.Put(ctx, s.encrypt(r), c)
}

// PutBatch implements driver.BatchPutter.
func (s *Store) PutBatch(ctx context.Context, records []driver.Record) ([]bool, error) {
	encrypted := make([]driver.Record, len(records))
	for i, r := range records {
		encrypted[i] = s.encrypt(r)
	}
	return s.Layer.PutBatch(ctx, encrypted)
}

// Stats implements driver.Stater.
func (s *Store) Stats(ctx context.Context, space driver.Space) ([]driver.Stats, error) {
	counts, err := s.Layer.Stats(ctx, space)
	for i := range counts {
		counts[i].Bytes -= overhead * counts[i].Entries
	}
	return counts, err
}
