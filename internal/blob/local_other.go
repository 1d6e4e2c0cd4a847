//go:build !unix

package blob

import "io/fs"

// fileMark is empty where the system gives files no numbers.
func fileMark(fs.FileInfo) string { return "" }
