package firestoreltm

import (
	"fmt"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/tea-agents/tea/ltm/driver"
)

func text(s string) *pb.Value     { return &pb.Value{ValueType: &pb.Value_StringValue{StringValue: s}} }
func number(n int64) *pb.Value    { return &pb.Value{ValueType: &pb.Value_IntegerValue{IntegerValue: n}} }
func binaries(b []byte) *pb.Value { return &pb.Value{ValueType: &pb.Value_BytesValue{BytesValue: b}} }
func null() *pb.Value {
	return &pb.Value{ValueType: &pb.Value_NullValue{NullValue: structpb.NullValue_NULL_VALUE}}
}

func list(texts []string) *pb.Value {
	values := make([]*pb.Value, len(texts))
	for i, s := range texts {
		values[i] = text(s)
	}
	return &pb.Value{ValueType: &pb.Value_ArrayValue{ArrayValue: &pb.ArrayValue{Values: values}}}
}

// instant returns a timestamp of Unix milliseconds, null where 0 is none.
func instant(at int64) *pb.Value {
	if at == 0 {
		return null()
	}
	t := timestamppb.New(time.UnixMilli(at))
	if !t.IsValid() { // after the year 9999
		return null()
	}
	return &pb.Value{ValueType: &pb.Value_TimestampValue{TimestampValue: t}}
}

const (
	// inlineSize is how many bytes of value, metadata and terms are in a record's
	// own document at most. A document has room for 1 MiB.
	inlineSize = 64 << 10
	partSize   = 768 << 10
	// maxSize is how many there may be at all. A commit takes 10 MiB.
	maxSize = 9 << 20
)

// document is a record as it is stored.
type document struct {
	driver.Record
	updated *timestamppb.Timestamp // by the server
	parts   int
	writes  int64
	metaLen int64
	far     bool // value, metadata and terms are in parts, and not read yet
}

// revisionOf returns the revision of what was committed at a time. Two commits
// to one document never have the same time, two records of a commit not the
// same rank.
func revisionOf(t *timestamppb.Timestamp, rank int64) int64 {
	return t.AsTime().UnixMicro()<<rankBits | rank
}

// rankBits leaves 55 bits for the microseconds, which last for a thousand years.
const rankBits = 8

// read reads a document. What it does not have, as it was not asked for, stays
// empty.
func read(space driver.Space, d *pb.Document) (*document, error) {
	f := d.GetFields()
	r := &document{
		Record: driver.Record{
			Key: driver.Key{
				Space: space, Namespace: f[fieldNamespace].GetStringValue(), Key: f[fieldKey].GetStringValue(),
			},
			Value: f[fieldValue].GetBytesValue(),
			Terms: f[fieldTerms].GetStringValue(),
			Size:  f[fieldSize].GetIntegerValue(),
		},
		updated: d.GetUpdateTime(),
		parts:   int(f[fieldParts].GetIntegerValue()),
		writes:  f[fieldWrites].GetIntegerValue(),
		metaLen: f[fieldMetaSize].GetIntegerValue(),
	}
	if m, ok := f[fieldMetadata].GetValueType().(*pb.Value_StringValue); ok {
		r.Metadata = []byte(m.StringValue)
	}
	r.far = r.parts > 0
	r.Revision = revisionOf(r.updated, f[fieldRank].GetIntegerValue())
	var err error
	if r.CreatedAt, err = timeOf(f[fieldByCreated].GetStringValue()); err == nil {
		r.UpdatedAt, err = timeOf(f[fieldByUpdated].GetStringValue())
	}
	if expiry := f[fieldByExpiry].GetStringValue(); err == nil && expiry != "" {
		r.ExpiresAt, err = timeOf(expiry)
	}
	if err != nil || r.parts < 0 || int64(r.parts)*partSize > 2*maxSize || !r.updated.IsValid() {
		return nil, fmt.Errorf("%w: the document %s is damaged, or not ours", driver.ErrCorrupt, d.GetName())
	}
	r.AccessedAt = r.UpdatedAt
	return r, nil
}

// write returns the documents of a record: its own, and its parts. created and
// writes are what its fields are to be, rank is its place in the commit.
func (c *config) write(r *driver.Record, created, writes, rank int64) []*pb.Document {
	at := position(r.Key.Namespace, r.Key.Key)
	by := func(t int64) *pb.Value { return text(timed(t) + at) }
	own := &pb.Document{Name: c.name(r.Key), Fields: map[string]*pb.Value{
		fieldNamespace: text(r.Key.Namespace),
		fieldKey:       text(r.Key.Key),
		fieldValue:     binaries(r.Value),
		fieldMetadata:  text(string(r.Metadata)),
		fieldTerms:     text(r.Terms),
		fieldSize:      number(int64(len(r.Value))),
		fieldMetaSize:  number(int64(len(r.Metadata))),
		fieldByKey:     text(at),
		fieldByCreated: by(created),
		fieldByUpdated: by(r.UpdatedAt),
		fieldByExpiry:  text(""),
		fieldScope:     text(scope(r.Key.Namespace)),
		fieldTokens:    list(tokens(r)),
		fieldExpires:   instant(r.ExpiresAt),
		fieldWrites:    number(writes),
		fieldRank:      number(rank),
	}}
	if r.ExpiresAt != 0 {
		own.Fields[fieldByExpiry] = by(r.ExpiresAt)
	}
	all := []*pb.Document{own}
	if load(r) > inlineSize {
		own.Fields[fieldValue], own.Fields[fieldMetadata], own.Fields[fieldTerms] = null(), null(), null()
		rest := append(append(append(make([]byte, 0, load(r)), r.Value...), r.Metadata...), r.Terms...)
		for n := 0; len(rest) > 0; n++ {
			data := rest[:min(len(rest), partSize)]
			rest = rest[len(data):]
			all = append(all, &pb.Document{Name: c.part(r.Key, n), Fields: map[string]*pb.Value{
				fieldData: binaries(data), fieldExpires: instant(r.ExpiresAt), fieldWrites: number(writes),
			}})
		}
	}
	own.Fields[fieldParts] = number(int64(len(all) - 1))
	return all
}

// load is how many bytes a record has besides its key.
func load(r *driver.Record) int { return len(r.Value) + len(r.Metadata) + len(r.Terms) }

// scope is a namespace as a field that is indexed wholly.
func scope(namespace string) string { return token(namespace, "s", "") }

// headFields are what a write must know of what was there.
func headFields() []string {
	return []string{fieldByCreated, fieldByUpdated, fieldByExpiry, fieldParts, fieldWrites, fieldRank}
}

// listFields are what KeysOnly asks for, with or without the metadata.
func listFields(metadata bool) []string {
	all := append(headFields(), fieldNamespace, fieldKey, fieldSize, fieldMetaSize)
	if metadata {
		all = append(all, fieldMetadata)
	}
	return all
}
