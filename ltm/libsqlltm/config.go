package libsqlltm

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/tea-agents/tea/ltm/driver/params"
)

// Schemes returns the schemes of the URLs that Opener reads.
func Schemes() []string { return []string{"libsql", "turso", "http+libsql", "https+libsql"} }

// Params returns the names of the parameters that a URL of the scheme may have.
func Params(scheme string) []string {
	if strings.HasSuffix(scheme, "+libsql") {
		return []string{paramToken}
	}
	return []string{paramToken, paramTLS}
}

const (
	paramToken = "authToken"
	paramTLS   = "tls"
	envToken   = "TURSO_AUTH_TOKEN" //nolint:gosec // the name of a variable
)

// config is what a URL says.
type config struct {
	base  string // http or https, without a slash at its end
	token string // "" is none
}

// parse reads a URL; all that is wrong with it is in the error, the token never.
func parse(u *url.URL) (config, error) {
	r := params.Read(u)
	scheme := "https"
	if u.Scheme == "http+libsql" {
		scheme = "http"
	}
	if !strings.HasSuffix(u.Scheme, "+libsql") {
		tls := "1"
		if r.OneOf(paramTLS, &tls, "0", "1"); tls == "0" {
			scheme = "http"
		}
	}
	switch {
	case u.User != nil:
		r.Check(fmt.Errorf("a libSQL server takes no user and password, but a token: %s", paramToken))
	case u.Hostname() == "":
		r.Check(fmt.Errorf("the server is missing, as in %s://localhost:8080", u.Scheme))
	}
	if u.Fragment != "" {
		r.Check(errors.New("the part after # means nothing here"))
	}
	token := cmp.Or(u.Query().Get(paramToken), os.Getenv(envToken))
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		r.Check(fmt.Errorf("%s (or %s) holds a character that no token has", paramToken, envToken))
	}
	if err := r.Err(); err != nil {
		return config{}, err
	}
	base := url.URL{Scheme: scheme, Host: u.Host, Path: strings.TrimRight(u.Path, "/")}
	return config{base: base.String(), token: token}, nil
}
