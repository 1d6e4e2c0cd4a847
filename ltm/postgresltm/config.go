package postgresltm

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/ltm/driver"
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
	conns    int32
	prepared bool
	readOnly bool
}

// parse reads a URL; all that is wrong with it is in the error.
func parse(u *url.URL) (config, error) {
	c := config{timeout: defaultConnect, conns: defaultConns, prepared: true}
	q := u.Query()
	errs := []error{
		location(u),
		oneOf(q, paramSSL, "disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
		oneOf(q, paramAttrs, "any", "read-write", "read-only", "primary", "standby", "prefer-standby"),
		boolean(q, paramPrepared, &c.prepared),
		boolean(q, paramReadOnly, &c.readOnly),
		c.readConnect(q),
		c.readConns(q),
		c.readSchema(q),
	}
	if err := errors.Join(errs...); err != nil {
		return c, fmt.Errorf("%w: %w", driver.ErrConfig, err)
	}
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

func oneOf(q url.Values, name string, known ...string) error {
	if !q.Has(name) || slices.Contains(known, q.Get(name)) {
		return nil
	}
	hint := ""
	if s := diag.Suggest(q.Get(name), known); s != "" {
		hint = fmt.Sprintf(", did you mean %q?", s)
	}
	return fmt.Errorf("%s is %q, not one of %s%s", name, q.Get(name), strings.Join(known, ", "), hint)
}

func boolean(q url.Values, name string, dst *bool) error {
	if !q.Has(name) {
		return nil
	}
	b, err := strconv.ParseBool(q.Get(name))
	if err != nil {
		return fmt.Errorf("%s is %q, not true or false", name, q.Get(name))
	}
	*dst = b
	return nil
}

// readConnect reads a duration or, as the server's own tools do, seconds.
func (c *config) readConnect(q url.Values) error {
	if !q.Has(paramConnect) {
		return nil
	}
	text := q.Get(paramConnect)
	d, err := time.ParseDuration(text)
	if s, errInt := strconv.ParseInt(text, 10, 16); errInt == nil {
		d, err = time.Duration(s)*time.Second, nil
	}
	if err != nil || d <= 0 || d > time.Hour {
		return fmt.Errorf("%s is %q, not a duration of up to 1h such as 3s", paramConnect, text)
	}
	c.timeout = d
	return nil
}

func (c *config) readConns(q url.Values) error {
	if !q.Has(paramMaxConns) {
		return nil
	}
	n, err := strconv.ParseInt(q.Get(paramMaxConns), 10, 32)
	if err != nil || n < 1 || n > maxConns {
		return fmt.Errorf("%s is %q, not a number from 1 to %d", paramMaxConns, q.Get(paramMaxConns), maxConns)
	}
	c.conns = int32(n)
	return nil
}

func (c *config) readSchema(q url.Values) error {
	c.schema = q.Get(paramSchema)
	switch {
	case !q.Has(paramSchema):
		return nil
	case c.schema == "", len(c.schema) > maxName, strings.ContainsRune(c.schema, 0):
		return fmt.Errorf("%s is %q, not a name of 1 to %d bytes", paramSchema, c.schema, maxName)
	}
	return nil
}
