package sealed

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// KeyBytes is the length of a key.
const KeyBytes = 32

// Key is a secret key with what is derived from it. It prints as its id.
type Key struct {
	id     [4]byte // tells keys apart; says nothing about them
	values [KeyBytes]byte
	terms  [KeyBytes]byte
}

// NewKey returns the key of 32 secret bytes.
func NewKey(secret []byte) (Key, error) {
	if len(secret) != KeyBytes {
		return Key{}, fmt.Errorf("%w: the encryption key has %d bytes, not %d", driver.ErrConfig, len(secret), KeyBytes)
	}
	var k Key
	for purpose, into := range map[string][]byte{"id": k.id[:], "values": k.values[:], "terms": k.terms[:]} {
		derived, err := hkdf.Key(sha256.New, secret, nil, "tea sealed "+purpose, len(into))
		if err != nil {
			return Key{}, fmt.Errorf("%w: the encryption key: %w", driver.ErrConfig, err)
		}
		copy(into, derived)
	}
	return k, nil
}

// String returns the id of the key, by which error messages name it.
func (k Key) String() string { return hex.EncodeToString(k.id[:]) }

// GoString is String.
func (k Key) GoString() string { return k.String() }

// ReadKeys reads the keys that a text names, separated by commas: "env:NAME", an
// environment variable, or "file:PATH". Each holds 32 bytes as base64 or as 64
// hexadecimal digits; a file may also hold the 32 bytes as they are. The first
// one encrypts; the others can still decrypt. The error, which wraps
// driver.ErrConfig, shows no key.
func ReadKeys(text string, getenv func(string) (string, bool)) ([]Key, error) {
	var keys []Key
	for i, source := range strings.Split(text, ",") {
		secret, err := read(source, getenv)
		if err != nil {
			return nil, fmt.Errorf("%w: encryption key %d: %w", driver.ErrConfig, i+1, err)
		}
		k, err := NewKey(secret)
		if err != nil {
			return nil, err
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// CheckNames tells what is wrong with a text for ReadKeys, as far as can be said
// without looking at a key.
func CheckNames(text string) error {
	for _, source := range strings.Split(text, ",") {
		kind, name, _ := strings.Cut(source, ":")
		if kind != "env" && kind != "file" || name == "" {
			return errNaming
		}
	}
	return nil
}

var errNaming = errors.New("an encryption key is named by env:NAME or file:PATH, and never given itself")

// make32 says how to make a key.
const make32 = "make one with: openssl rand -base64 32"

func read(source string, getenv func(string) (string, bool)) ([]byte, error) {
	kind, name, _ := strings.Cut(source, ":")
	switch kind {
	case "env":
		text, ok := getenv(name)
		if !ok || text == "" {
			return nil, fmt.Errorf("the environment variable %q is not set; %s", name, make32)
		}
		return decode("the environment variable "+name, text)
	case "file":
		data, err := os.ReadFile(name)
		if err != nil {
			if pe, ok := err.(*fs.PathError); ok { //nolint:errorlint // os.ReadFile returns it as it is
				err = pe.Err
			}
			return nil, fmt.Errorf("the file %q: %w; %s", name, err, make32)
		}
		if len(data) == KeyBytes {
			return data, nil
		}
		return decode("the file "+name, string(data))
	}
	return nil, errNaming
}

// decode returns the bytes of a key that is written as text.
func decode(what, text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	for _, f := range []func(string) ([]byte, error){
		hex.DecodeString, base64.StdEncoding.DecodeString, base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString, base64.RawURLEncoding.DecodeString,
	} {
		if b, err := f(text); err == nil && len(b) == KeyBytes {
			return b, nil
		}
	}
	return nil, fmt.Errorf("%s does not hold %d bytes as base64 or hexadecimal digits; %s", what, KeyBytes, make32)
}
