package postgresltm

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/tea-agents/tea/ltm/driver/params"
)

// The parameters that are not the client's own.
const (
	paramConnect  = "connect_timeout"
	paramSchema   = "schema"
	paramMaxConns = "max_conns"
	paramPrepared = "prepared"
	paramReadOnly = "readonly"

	paramApplication = "application_name"
	paramSSL         = "sslmode"
	paramAttrs       = "target_session_attrs"
)

const (
	defaultConnect = 3 * time.Second
	defaultConns   = 8
	maxConns       = 1000
	maxName        = 63 // bytes in a name of PostgreSQL
)

// passed returns the parameters that the client understands by itself.
func passed() []string {
	return []string{
		paramApplication, "host", "port", "sslcert", "sslkey", paramSSL, "sslrootcert", paramAttrs,
	}
}

// Params returns the names of the parameters that a URL may have.
func Params() []string {
	return append(passed(), paramConnect, paramSchema, paramMaxConns, paramPrepared, paramReadOnly)
}

// config is what a URL says.
type config struct {
	dsn      string        // what the client understands of the URL
	schema   string        // "" is that of the search path
	timeout  time.Duration // of connecting
	conns    int
	prepared bool
	readOnly bool
}

// parse reads a URL; all that is wrong with it is in the error.
func parse(u *url.URL) (config, error) {
	c := config{timeout: defaultConnect, conns: defaultConns, prepared: true}
	r := params.Read(u)
	r.Check(location(u))
	var passedOn string
	r.OneOf(paramSSL, &passedOn, "disable", "allow", "prefer", "require", "verify-ca", "verify-full")
	r.OneOf(paramAttrs, &passedOn, "any", "read-write", "read-only", "primary", "standby", "prefer-standby")
	r.Bool(paramPrepared, &c.prepared)
	r.Bool(paramReadOnly, &c.readOnly)
	// A number counts seconds, as for the server's own tools.
	r.Duration(paramConnect, &c.timeout, params.Bounds{Least: time.Millisecond, Most: time.Hour, Unit: time.Second})
	r.Int(paramMaxConns, &c.conns, 1, maxConns)
	r.Read(paramSchema, func(text string) error {
		if c.schema = text; text == "" || len(text) > maxName || strings.ContainsRune(text, 0) {
			return fmt.Errorf("a name of 1 to %d bytes", maxName)
		}
		return nil
	})
	if err := r.Err(); err != nil {
		return c, err
	}
	q := u.Query()
	rest := url.Values{paramApplication: {"tea"}}
	for _, name := range passed() {
		if q.Has(name) {
			rest[name] = q[name]
		}
	}
	plain := *u
	plain.RawQuery = rest.Encode()
	c.dsn = plain.String()
	return c, nil
}

// location checks what stands before the parameters.
func location(u *url.URL) error {
	switch {
	case u.Opaque != "":
		return fmt.Errorf("%s: must be followed by //, as in %[1]s://host/database", u.Scheme)
	case strings.Contains(strings.TrimPrefix(u.Path, "/"), "/"):
		return fmt.Errorf("the path %s is not the name of one database", u.Path)
	case u.Fragment != "":
		return errors.New("a # in it must be written %23")
	}
	return nil
}
