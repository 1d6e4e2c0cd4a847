package tiered

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/tea-agents/tea/ltm/driver"
)

// A copy is a version byte, a CRC-32C of all that follows, seven numbers and
// the metadata and value. Of the numbers the last is the length of the metadata.
const (
	version = 1
	numbers = 7
	head    = 1 + 4 + 8*numbers
)

func checksum(data []byte) uint32 {
	return crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
}

// encode returns the copy of r, which was read since the given time.
func encode(r *driver.Record, since int64) []byte {
	data := make([]byte, 5, head+len(r.Metadata)+len(r.Value))
	for _, n := range []int64{since, r.CreatedAt, r.UpdatedAt, r.AccessedAt, r.ExpiresAt, r.Revision, int64(len(r.Metadata))} {
		data = binary.BigEndian.AppendUint64(data, uint64(n))
	}
	data = append(data, r.Metadata...)
	data = append(data, r.Value...)
	data[0] = version
	binary.BigEndian.PutUint32(data[1:], checksum(data[5:]))
	return data
}

// decode returns the record of a copy, without its key, and since when it was read.
func decode(data []byte) (r driver.Record, since int64, ok bool) {
	if len(data) < head || data[0] != version || binary.BigEndian.Uint32(data[1:]) != checksum(data[5:]) {
		return r, 0, false
	}
	var n [numbers]int64
	for i := range n {
		n[i] = int64(binary.BigEndian.Uint64(data[5+8*i:]))
	}
	rest := data[head:]
	if n[6] < 0 || n[6] > int64(len(rest)) {
		return r, 0, false
	}
	r = driver.Record{
		CreatedAt: n[1], UpdatedAt: n[2], AccessedAt: n[3], ExpiresAt: n[4], Revision: n[5],
		Metadata: rest[:n[6]:n[6]], Value: rest[n[6]:],
	}
	r.Size = int64(len(r.Value))
	return r, n[0], true
}
