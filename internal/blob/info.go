package blob

import (
	"fmt"
	"time"
)

// Info describes a file or, in listings, a directory.
type Info struct {
	Path        string    // the URI, redacted
	Size        int64     // in bytes; -1 when the server does not say
	ModTime     time.Time // zero when unknown
	ETag        string    // the server's mark of this content, "" when there is none
	ContentType string    // "" when unknown
	IsDir       bool      // only in listings; Path ends in a slash
}

// Stamp returns a short text that changes when the content does, as far as the
// place can tell without reading it: size, time of change and mark. It is ""
// when the place tells nothing.
func (i Info) Stamp() string {
	if i.ModTime.IsZero() && i.ETag == "" && i.Size < 0 {
		return ""
	}
	var at int64
	if !i.ModTime.IsZero() {
		at = i.ModTime.UnixNano()
	}
	return fmt.Sprintf("%d-%d-%s", i.Size, at, i.ETag)
}

// WriteOptions says how to write.
type WriteOptions struct {
	ContentType string // "" is application/octet-stream; local files have none
	IfNotExist  bool   // fail with ErrConflict, atomically, when there is one already
}

// ListOptions says what to list.
type ListOptions struct {
	Recursive bool   // all files below, and no directories
	Prefix    string // only what begins so, below the listed directory
	Limit     int    // at most so many entries; 0 is no limit
}

// Listing is what a directory holds, sorted by path.
type Listing struct {
	Entries   []Info
	Truncated bool // there are more than the limit
}
