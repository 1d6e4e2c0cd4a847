package params

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// InMemory stands in the place of a file's path for a store that has none.
const InMemory = ":memory:"

// File returns the absolute path of the local file that u names, or InMemory.
// The error says it of what kind of file, such as "an SQLite file", with an example
// of a URL.
func File(u *url.URL, kind, example string) (string, error) {
	p := u.Host + u.Path
	if u.Opaque != "" {
		var err error
		if p, err = url.PathUnescape(u.Opaque); err != nil {
			return "", fmt.Errorf("the path: %w", err)
		}
	}
	switch {
	case u.User != nil:
		return "", fmt.Errorf("%s takes no user and password", kind)
	case p == "":
		return "", fmt.Errorf("the path is missing, as in %s", example)
	case strings.ContainsRune(p, 0):
		return "", errors.New("the path holds a NUL character")
	case p == InMemory:
		return p, nil
	case p == "~", strings.HasPrefix(p, "~/"): // it would be a folder of that name
		return "", fmt.Errorf("the path %s: nobody expands the ~ in it: write ${HOME}, or ./~ for a folder of that name", p)
	case strings.HasSuffix(p, "/"):
		return "", fmt.Errorf("the path %s is that of a folder", p)
	}
	return filepath.Abs(p)
}
