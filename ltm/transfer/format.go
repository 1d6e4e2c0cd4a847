package transfer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"time"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

const (
	formatName = "tea-export"
	// Version is the version of the format that is written, and the newest one
	// that is read.
	Version = 1
)

// The names of members.
const (
	fieldFormat    = "format"
	fieldVersion   = "version"
	fieldSpace     = "space"
	fieldSource    = "source"
	fieldExported  = "exported"
	fieldSum       = "sum"
	fieldNamespace = "namespace"
	fieldKey       = "key"
	fieldValue     = "value"
	fieldMetadata  = "metadata"
	fieldCreated   = "created"
	fieldUpdated   = "updated"
	fieldExpires   = "expires"
	fieldEnd       = "end"
	fieldEntries   = "entries"
)

// The ways in which a file can be bad. ltm.ErrNewer is another one.
var (
	ErrTorn    = errors.New("the file is cut short")
	ErrDamaged = errors.New("the file is damaged")
	ErrFormat  = errors.New("this is no export of tea")
)

// Header says what an export holds.
type Header struct {
	Space  driver.Space
	Source string    // the store, without credentials
	At     time.Time // when it was exported, to the millisecond
}

// Spaces returns the spaces whose entries can be moved.
func Spaces() []driver.Space { return []driver.Space{driver.User, driver.Cache, driver.LLM} }

// ParseSpace returns the space of that name, of those that can be moved.
func ParseSpace(name string) (driver.Space, error) {
	var names []string
	for _, s := range Spaces() {
		if s.String() == name {
			return s, nil
		}
		names = append(names, s.String())
	}
	return 0, fmt.Errorf("unknown space %q; %s", name, diag.DidYouMean(name, names))
}

func (h Header) value() value.Value {
	return value.Object(
		value.M(fieldFormat, value.String(formatName)), value.M(fieldVersion, value.Int(Version)),
		value.M(fieldSpace, value.String(h.Space.String())), value.M(fieldSource, value.String(h.Source)),
		value.M(fieldExported, value.Int(h.At.UnixMilli())),
	)
}

// headerOf reads the first line of a file.
func headerOf(v value.Value) (Header, error) {
	version, ok := v.At(fieldVersion).AsInt()
	switch {
	case v.At(fieldFormat).Text() != formatName || !ok || version < 1:
		return Header{}, ErrFormat
	case version > Version:
		return Header{}, fmt.Errorf("%w: it has format %d, this program reads up to %d", ltm.ErrNewer, version, Version)
	}
	if err := only(v, fieldFormat, fieldVersion, fieldSpace, fieldSource, fieldExported); err != nil {
		return Header{}, err
	}
	space, err := ParseSpace(v.At(fieldSpace).Text())
	if err != nil {
		return Header{}, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	at, ok := v.At(fieldExported).AsInt()
	source, isText := v.At(fieldSource).AsString()
	if !ok || !isText {
		return Header{}, fmt.Errorf("%w: the header", ErrDamaged)
	}
	return Header{Space: space, Source: source, At: time.UnixMilli(at).UTC()}, nil
}

// only holds that v has these members and no others.
func only(v value.Value, names ...string) error {
	for _, name := range names {
		if _, ok := v.Get(name); !ok {
			return fmt.Errorf("%w: %q is missing", ErrDamaged, name)
		}
	}
	if v.Len() != len(names) {
		return fmt.Errorf("%w: a line has %d members, not %d", ErrDamaged, v.Len(), len(names))
	}
	return nil
}

// entryValue is a line without its sum.
func entryValue(e *ltm.Entry) value.Value {
	expires := value.Null()
	if !e.ExpiresAt.IsZero() {
		expires = value.Int(e.ExpiresAt.UnixMilli())
	}
	metadata := e.Metadata
	if metadata.IsNull() {
		metadata = value.Object()
	}
	return value.Object(
		value.M(fieldNamespace, value.String(e.Namespace)), value.M(fieldKey, value.String(e.Key)),
		value.M(fieldValue, e.Value), value.M(fieldMetadata, metadata),
		value.M(fieldCreated, value.Int(e.CreatedAt.UnixMilli())),
		value.M(fieldUpdated, value.Int(e.UpdatedAt.UnixMilli())), value.M(fieldExpires, expires),
	)
}

// The line of an entry begins with its sum, which is that of the text that is
// left without it.
const (
	beforeSum = `{"` + fieldSum + `":"`
	afterSum  = `",`
	headBytes = len(beforeSum) + 2*sha256.Size + len(afterSum)
)

// appendLine appends the line of an entry whose text is that of an object.
func appendLine(dst, text []byte) (line []byte, sum string) {
	digest := sha256.Sum256(text)
	sum = hex.EncodeToString(digest[:])
	dst = append(dst, beforeSum+sum+afterSum...)
	return append(dst, text[1:]...), sum
}

// checkSum returns the sum of a line, after it was found to fit.
func checkSum(line []byte) (string, error) {
	misfit := fmt.Errorf("%w: the checksum does not fit", ErrDamaged)
	if len(line) < headBytes {
		return "", misfit
	}
	h := sha256.New()
	h.Write([]byte("{"))
	h.Write(line[headBytes:])
	sum := hex.EncodeToString(h.Sum(nil))
	if string(line[:headBytes]) != beforeSum+sum+afterSum {
		return "", misfit
	}
	return sum, nil
}

// entryOf reads a line that is not the header or the end.
func entryOf(v value.Value) (e ltm.Entry, err error) {
	err = only(v, fieldSum, fieldNamespace, fieldKey, fieldValue, fieldMetadata, fieldCreated, fieldUpdated, fieldExpires)
	if err != nil {
		return e, err
	}
	created, ok1 := v.At(fieldCreated).AsInt()
	updated, ok2 := v.At(fieldUpdated).AsInt()
	never := v.At(fieldExpires).IsNull()
	expires, isInt := v.At(fieldExpires).AsInt()
	ok3 := never || isInt && expires > 0
	namespace, ok4 := v.At(fieldNamespace).AsString()
	key, ok5 := v.At(fieldKey).AsString()
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || v.At(fieldMetadata).Kind() != value.KindObject {
		return e, fmt.Errorf("%w: a member has the wrong kind", ErrDamaged)
	}
	e = ltm.Entry{
		Namespace: namespace, Key: key, Value: v.At(fieldValue), Metadata: v.At(fieldMetadata),
		CreatedAt: time.UnixMilli(created).UTC(), UpdatedAt: time.UnixMilli(updated).UTC(),
	}
	if !never {
		e.ExpiresAt = time.UnixMilli(expires).UTC()
	}
	return e, nil
}

// chain is what both ends of a file keep of its lines: their order, their
// number, and the sum of the header and of all their sums.
type chain struct {
	last    driver.Key
	entries int64
	sums    hash.Hash
}

// begin takes the header.
func (c *chain) begin(header []byte) {
	c.sums = sha256.New()
	c.sums.Write(header)
}

// add takes the next entry; it must follow the one before.
func (c *chain) add(e *ltm.Entry, sum string) error {
	key := driver.Key{Namespace: e.Namespace, Key: e.Key}
	if c.entries > 0 && key.Compare(c.last) <= 0 {
		return fmt.Errorf("%q follows %q, although it must not", e.Key, c.last.Key)
	}
	c.last = key
	c.entries++
	c.sums.Write([]byte(sum))
	return nil
}

// end is the last line.
func (c *chain) end() value.Value {
	return value.Object(value.M(fieldEnd, value.Object(
		value.M(fieldEntries, value.Int(c.entries)),
		value.M(fieldSum, value.String(hex.EncodeToString(c.sums.Sum(nil)))),
	)))
}
