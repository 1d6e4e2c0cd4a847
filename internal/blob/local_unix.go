//go:build unix

package blob

import (
	"io/fs"
	"strconv"
	"syscall"
)

// fileMark is the file's inode: a file replaced by another one has a new one,
// even when size and time are the same.
func fileMark(info fs.FileInfo) string {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return strconv.FormatUint(uint64(st.Ino), 36) //nolint:unconvert // the type differs by platform
	}
	return ""
}
