package redisltm

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
)

// Params returns the names of the parameters that a URL may have.
func Params() []string {
	return []string{paramCA, paramCluster, paramDial, paramEviction, paramPool, paramPrefix, paramReadOnly, paramTimeout}
}

const (
	paramCA       = "ca"
	paramCluster  = "cluster"
	paramDial     = "dial_timeout"
	paramEviction = "eviction"
	paramPool     = "pool_size"
	paramPrefix   = "prefix"
	paramReadOnly = "readonly"
	paramTimeout  = "timeout"

	schemeTLS      = "rediss"
	defaultPort    = "6379"
	defaultPrefix  = "tea"
	defaultTimeout = 10 * time.Second
	defaultDial    = 5 * time.Second
	maxPool        = 10_000
)

// config is what a URL says.
type config struct {
	addr, user, password string
	host                 string
	db                   int
	tls                  bool
	ca                   string
	prefix               string
	timeout, dial        time.Duration
	pool                 int // 0 is the client's default
	readOnly, cluster    bool
	eviction             bool
}

// parse reads a URL; all that is wrong with it is in the error, but no
// password.
func parse(u *url.URL) (config, error) {
	c := config{prefix: defaultPrefix, timeout: defaultTimeout, dial: defaultDial, tls: u.Scheme == schemeTLS}
	q := u.Query()
	errs := []error{
		c.place(u),
		readBool(q, paramReadOnly, &c.readOnly),
		readBool(q, paramCluster, &c.cluster),
		readDuration(q, paramTimeout, &c.timeout),
		readDuration(q, paramDial, &c.dial),
		c.options(q),
	}
	if c.cluster && c.db != 0 {
		errs = append(errs, fmt.Errorf("a cluster has no db but 0, not %d", c.db))
	}
	if err := errors.Join(errs...); err != nil {
		return c, fmt.Errorf("%w: %w", driver.ErrConfig, err)
	}
	return c, nil
}

// place reads what comes before the parameters.
func (c *config) place(u *url.URL) error {
	if u.Opaque != "" || u.Hostname() == "" {
		return errors.New("the host is missing, as in redis://localhost:6379/0")
	}
	port := u.Port()
	if port == "" {
		port = defaultPort
	}
	c.host = u.Hostname()
	c.addr = net.JoinHostPort(c.host, port)
	c.user = u.User.Username()
	c.password, _ = u.User.Password()
	if path := strings.Trim(u.Path, "/"); path != "" {
		n, err := strconv.ParseUint(path, 10, 16)
		if err != nil {
			return fmt.Errorf("the path is %q, not the number of a database", u.Path)
		}
		c.db = int(n)
	}
	return nil
}

// options reads the parameters that are of no common kind.
func (c *config) options(q url.Values) error {
	var errs []error
	if q.Has(paramPrefix) {
		c.prefix = q.Get(paramPrefix)
		if !plainName(c.prefix) {
			errs = append(errs, fmt.Errorf("%s is %q, not 1 to 100 letters, digits and _.:-", paramPrefix, c.prefix))
		}
	}
	if q.Has(paramPool) {
		n, err := strconv.Atoi(q.Get(paramPool))
		if err != nil || n < 1 || n > maxPool {
			errs = append(errs, fmt.Errorf("%s is %q, not a number from 1 to %d", paramPool, q.Get(paramPool), maxPool))
		}
		c.pool = n
	}
	if q.Has(paramEviction) {
		c.eviction = q.Get(paramEviction) == "allow"
		if !c.eviction {
			errs = append(errs, fmt.Errorf(`%s is %q, it can only be "allow"`, paramEviction, q.Get(paramEviction)))
		}
	}
	if q.Has(paramCA) {
		c.ca = q.Get(paramCA)
		if !c.tls {
			errs = append(errs, fmt.Errorf("%s is for %s URLs", paramCA, schemeTLS))
		}
	}
	return errors.Join(errs...)
}

// plainName tells a prefix that needs no escape anywhere.
func plainName(s string) bool {
	for _, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && !strings.ContainsRune("_.:-", rune(c)) {
			return false
		}
	}
	return s != "" && len(s) <= 100
}

func readBool(q url.Values, name string, into *bool) error {
	if !q.Has(name) {
		return nil
	}
	b, err := strconv.ParseBool(q.Get(name))
	if err != nil {
		return fmt.Errorf("%s is %q, not true or false", name, q.Get(name))
	}
	*into = b
	return nil
}

func readDuration(q url.Values, name string, into *time.Duration) error {
	if !q.Has(name) {
		return nil
	}
	d, err := time.ParseDuration(q.Get(name))
	if err != nil || d < time.Millisecond || d > time.Hour {
		return fmt.Errorf("%s is %q, not a duration from 1ms to 1h such as 2s", name, q.Get(name))
	}
	*into = d
	return nil
}

// tlsConfig returns nil for a plain connection.
func (c *config) tlsConfig() (*tls.Config, error) {
	if !c.tls {
		return nil, nil //nolint:nilnil // so the client wants it
	}
	t := &tls.Config{ServerName: c.host, MinVersion: tls.VersionTLS12}
	if c.ca == "" {
		return t, nil
	}
	pem, err := os.ReadFile(c.ca)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", driver.ErrConfig, paramCA, err)
	}
	t.RootCAs = x509.NewCertPool()
	if !t.RootCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%w: %s: there is no certificate in %s", driver.ErrConfig, paramCA, c.ca)
	}
	return t, nil
}
