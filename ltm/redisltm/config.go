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
	"github.com/tea-agents/tea/ltm/driver/params"
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
	r := params.Read(u)
	r.Check(c.place(u))
	r.Bool(paramReadOnly, &c.readOnly)
	r.Bool(paramCluster, &c.cluster)
	r.Duration(paramTimeout, &c.timeout, waits())
	r.Duration(paramDial, &c.dial, waits())
	r.Int(paramPool, &c.pool, 1, maxPool)
	r.Read(paramEviction, func(text string) error {
		if c.eviction = text == "allow"; !c.eviction {
			return errors.New(`"allow": it can only be that`)
		}
		return nil
	})
	r.Read(paramPrefix, func(text string) error {
		if c.prefix = text; !plainName(text) {
			return errors.New("1 to 100 letters, digits and _.:-")
		}
		return nil
	})
	r.Read(paramCA, func(text string) error {
		if c.ca = text; !c.tls {
			return fmt.Errorf("for other URLs than those of %s", schemeTLS)
		}
		return nil
	})
	if c.cluster && c.db != 0 {
		r.Check(fmt.Errorf("a cluster has no db but 0, not %d", c.db))
	}
	return c, r.Err()
}

// waits are the bounds of how long to wait.
func waits() params.Bounds { return params.Bounds{Least: time.Millisecond, Most: time.Hour} }

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
