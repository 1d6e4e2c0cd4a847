//go:build !unix

package files

// syncDir does nothing: other systems keep names by themselves.
func syncDir(string) error { return nil }

// Lock does nothing: other systems do not lock folders, and processes that
// record into one cassette at once may lose calls there.
func Lock(string) (unlock func(), err error) { return func() {}, nil }
