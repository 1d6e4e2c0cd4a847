package hostmod

import (
	"crypto/md5"
	"crypto/sha1" //nolint:gosec // a content hash
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"strings"

	"golang.org/x/crypto/blake2b"

	"github.com/tea-agents/tea/actions/run/python/object"
)

func hashes() map[string]func() hash.Hash {
	return map[string]func() hash.Hash{
		"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New,
		"sha384": sha512.New384, "sha512": sha512.New,
	}
}

func hashlibModule() *object.Module {
	fns := map[string]fn{"blake2b": newBlake2b, "new": hashByName}
	for name, mk := range hashes() {
		fns[name] = func(t *thread, a args) (obj, error) {
			var data, security obj
			if err := a.Bind(name, "string? * usedforsecurity?", &data, &security); err != nil {
				return nil, err
			}
			return newHash(t, name, mk, data)
		}
	}
	return module("hashlib", fns, nil)
}

// hasher is a hash object. The data is kept, so that copies are cheap to
// understand: a digest hashes all of it.
type hasher struct {
	name string
	mk   func() hash.Hash
	data []byte
}

// TypeName implements object.Object.
func (*hasher) TypeName() string { return "hash" }

// Attr implements object.Attributer.
func (h *hasher) Attr(t *object.Thread, name string) (obj, bool, error) {
	switch name {
	case "name":
		return object.NewStr(h.name), true, nil
	case "digest_size":
		return object.Int(h.mk().Size()), true, nil
	}
	m, ok := t.World.Method("hash", name)
	return &object.Bound{Self: h, Method: m}, ok, nil
}

func newHash(t *thread, name string, mk func() hash.Hash, data obj) (obj, error) {
	h := &hasher{name: name, mk: mk}
	if data == nil {
		return h, nil
	}
	return h, h.update(t, data)
}

func (h *hasher) update(t *thread, data obj) error {
	if _, ok := data.(*object.Str); ok {
		return object.Errorf("TypeError", "Strings must be encoded before hashing").WithHint("use text.encode()")
	}
	b, err := object.BytesArg(data)
	if err != nil {
		return err
	}
	if err := t.Alloc(int64(len(b))); err != nil {
		return err
	}
	h.data = append(h.data, b...)
	return t.Work(len(b))
}

func (h *hasher) sum(t *thread) ([]byte, error) {
	if err := t.Work(len(h.data)); err != nil {
		return nil, err
	}
	x := h.mk()
	_, _ = x.Write(h.data) // never fails
	return x.Sum(nil), nil
}

func hashMethods() []object.Method {
	return []object.Method{
		object.On("update", func(t *thread, h *hasher, a args) (obj, error) {
			var data obj
			if err := a.Bind("update", "obj /", &data); err != nil {
				return nil, err
			}
			return object.None(), h.update(t, data)
		}),
		object.On("hexdigest", func(t *thread, h *hasher, a args) (obj, error) {
			if err := a.Bind("hexdigest", ""); err != nil {
				return nil, err
			}
			b, err := h.sum(t)
			return object.NewStr(hex.EncodeToString(b)), err
		}),
		object.On("digest", func(t *thread, h *hasher, a args) (obj, error) {
			if err := a.Bind("digest", ""); err != nil {
				return nil, err
			}
			b, err := h.sum(t)
			return object.Bytes(b), err
		}),
		object.On("copy", func(t *thread, h *hasher, _ args) (obj, error) {
			return &hasher{name: h.name, mk: h.mk, data: append([]byte(nil), h.data...)}, t.Alloc(int64(len(h.data)))
		}),
	}
}

func newBlake2b(t *thread, a args) (obj, error) {
	var data, size obj
	if err := a.Bind("blake2b", "data? * digest_size?", &data, &size); err != nil {
		return nil, err
	}
	n, err := intOr(size, blake2b.Size)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > blake2b.Size {
		return nil, object.ValueErrorf("digest_size must be between 1 and %d bytes", blake2b.Size)
	}
	return newHash(t, "blake2b", func() hash.Hash {
		h, _ := blake2b.New(n, nil) // the size is checked
		return h
	}, data)
}

func hashByName(t *thread, a args) (obj, error) {
	var name, data obj
	if err := a.Bind("new", "name string?", &name, &data); err != nil {
		return nil, err
	}
	s, err := strArg(name, "new")
	if err != nil {
		return nil, err
	}
	mk := hashes()[strings.ToLower(s)]
	if mk == nil {
		return nil, object.ValueErrorf("unsupported hash type %s", s)
	}
	return newHash(t, strings.ToLower(s), mk, data)
}

func base64Module() *object.Module {
	return module("base64", map[string]fn{
		"b64encode": encoder("b64encode", base64.StdEncoding.EncodeToString), "b64decode": decoder("b64decode", decode64(base64.StdEncoding)),
		"standard_b64encode": encoder("standard_b64encode", base64.StdEncoding.EncodeToString),
		"standard_b64decode": decoder("standard_b64decode", decode64(base64.StdEncoding)),
		"urlsafe_b64encode":  encoder("urlsafe_b64encode", base64.URLEncoding.EncodeToString),
		"urlsafe_b64decode":  decoder("urlsafe_b64decode", decode64(base64.URLEncoding)),
		"b32encode":          encoder("b32encode", base32.StdEncoding.EncodeToString),
		"b32decode":          decoder("b32decode", base32.StdEncoding.DecodeString),
		"b16encode":          encoder("b16encode", func(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }),
		"b16decode":          decoder("b16decode", hex.DecodeString),
	}, nil)
}

func encoder(name string, f func([]byte) string) fn {
	return func(t *thread, a args) (obj, error) {
		var x obj
		if err := a.Bind(name, "s", &x); err != nil {
			return nil, err
		}
		b, err := object.BytesArg(x)
		if err != nil {
			return nil, err
		}
		if err := t.AllocN(len(b), 2); err != nil {
			return nil, err
		}
		return object.Bytes(f([]byte(b))), nil
	}
}

func decoder(name string, f func(string) ([]byte, error)) fn {
	return func(t *thread, a args) (obj, error) {
		var x, validate obj
		if err := a.Bind(name, "s validate?", &x, &validate); err != nil {
			return nil, err
		}
		s, ok := object.AsStr(x)
		if !ok {
			b, err := object.BytesArg(x)
			if err != nil {
				return nil, err
			}
			s = b
		}
		if err := t.Alloc(int64(len(s))); err != nil {
			return nil, err
		}
		b, err := f(s)
		if err != nil {
			return nil, object.Errorf("ValueError", "%s: %v", name, err)
		}
		return object.Bytes(b), nil
	}
}

// decode64 leaves out what is not in the alphabet, as Python does.
func decode64(enc *base64.Encoding) func(string) ([]byte, error) {
	return func(s string) ([]byte, error) {
		s = strings.Map(func(r rune) rune {
			switch {
			case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("+/-_=", r):
				return r
			}
			return -1
		}, s)
		b, err := enc.DecodeString(s)
		if err != nil && len(strings.TrimRight(s, "="))%4 != 0 && len(s)%4 != 0 {
			return nil, object.ValueErrorf("Incorrect padding")
		}
		return b, err
	}
}
