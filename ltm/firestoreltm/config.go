package firestoreltm

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/tea-agents/tea/ltm/driver/params"
)

// Params returns the names of the parameters that a URL may have.
func Params() []string { return []string{paramDatabase, paramEmulator, paramTimeout} }

const (
	paramDatabase = "database"
	paramEmulator = "emulator"
	paramTimeout  = "timeout"
	envEmulator   = "FIRESTORE_EMULATOR_HOST"

	defaultDatabase = "(default)"
	defaultTimeout  = 10 * time.Second
	maxName         = 500 // bytes of the collection's name
)

// config is what a URL says.
type config struct {
	project, database, collection string
	emulator                      string // host:port; "" is Google
	timeout                       time.Duration
}

// parse reads a URL; all that is wrong with it is in the error.
func parse(u *url.URL) (config, error) {
	q := u.Query()
	c := config{
		project:    u.Host,
		database:   cmp.Or(q.Get(paramDatabase), defaultDatabase),
		collection: strings.Trim(u.Path, "/"),
		emulator:   cmp.Or(q.Get(paramEmulator), os.Getenv(envEmulator)),
		timeout:    defaultTimeout,
	}
	r := params.Read(u)
	r.Check(c.names(u))
	if host, port, err := net.SplitHostPort(c.emulator); c.emulator != "" && (err != nil || host == "" || port == "") {
		r.Check(fmt.Errorf("%s (or %s) is %q, not host:port", paramEmulator, envEmulator, c.emulator))
	}
	r.Duration(paramTimeout, &c.timeout, params.Bounds{Least: time.Millisecond, Most: time.Hour})
	return c, r.Err()
}

// names checks what names the store.
func (c *config) names(u *url.URL) error {
	var errs []error
	add := func(wrong bool, format string, args ...any) {
		if wrong {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	add(u.User != nil, "Firestore takes no user and password, but Google's credentials: see GOOGLE_APPLICATION_CREDENTIALS")
	add(u.Opaque != "" || c.project == "" || c.collection == "",
		"the project or the collection is missing, as in firestore://project/collection")
	add(!plain(c.project), "the project is %q, not letters, digits, - and dots", c.project)
	add(c.database != defaultDatabase && !plain(c.database), "%s is %q, not letters, digits and -", paramDatabase, c.database)
	reserved := c.collection == "." || c.collection == ".." ||
		strings.HasPrefix(c.collection, "__") && strings.HasSuffix(c.collection, "__")
	add(reserved || strings.Contains(c.collection, "/") || len(c.collection) > maxName,
		"the collection is %.40q, not one name of at most %d bytes, no . or .. or __name__", c.collection, maxName)
	add(u.Fragment != "", "the part after # means nothing here")
	return errors.Join(errs...)
}

// plain tells a name that needs no escape anywhere. An empty one is missed elsewhere.
func plain(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && r != '-' && r != '.'
	})
}

// path is the database in the names of the API.
func (c *config) path() string { return "projects/" + c.project + "/databases/" + c.database }
