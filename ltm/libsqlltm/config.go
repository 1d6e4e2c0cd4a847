package libsqlltm

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
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
	var errs []error
	q := u.Query()
	scheme, err := transport(u.Scheme, q)
	if err != nil {
		errs = append(errs, err)
	}
	switch {
	case u.User != nil:
		errs = append(errs, fmt.Errorf("a libSQL server takes no user and password, but a token: %s", paramToken))
	case u.Hostname() == "":
		errs = append(errs, fmt.Errorf("the server is missing, as in %s://localhost:8080", u.Scheme))
	}
	if u.Fragment != "" {
		errs = append(errs, errors.New("the part after # means nothing here"))
	}
	token := cmp.Or(q.Get(paramToken), os.Getenv(envToken))
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		errs = append(errs, fmt.Errorf("%s (or %s) holds a character that no token has", paramToken, envToken))
	}
	if errs != nil {
		return config{}, fmt.Errorf("%w: %w", driver.ErrConfig, errors.Join(errs...))
	}
	base := url.URL{Scheme: scheme, Host: u.Host, Path: strings.TrimRight(u.Path, "/")}
	return config{base: base.String(), token: token}, nil
}

// transport returns the scheme to speak to the server by.
func transport(scheme string, q url.Values) (string, error) {
	switch scheme {
	case "http+libsql":
		return "http", nil
	case "https+libsql":
		return "https", nil
	}
	switch tls := q.Get(paramTLS); {
	case tls == "0":
		return "http", nil
	case tls == "1", !q.Has(paramTLS):
		return "https", nil
	default:
		return "", fmt.Errorf("%s is %q, not 0 or 1", paramTLS, tls)
	}
}
