package blob

import (
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
)

// location is a parsed URI.
type location struct {
	scheme string // file, mem, s3, gs, azblob, http or https
	bucket string // bucket or container
	key    string // key, local path, or the whole address on the web
	params string // parameters of a bucket as written, without the question mark
	plain  bool   // a path without a scheme
}

// Schemes returns the schemes that a URI may have, sorted. Plain paths have none.
func Schemes() []string {
	return []string{"az", "azblob", "file", "gs", "http", "https", "mem", "s3"}
}

// Params returns the parameters that the URIs of a scheme may have, sorted.
func Params(scheme string) []string { return knownParams(scheme) }

// knownParams lists the parameters that each kind of bucket takes. None holds a
// credential, so they may be shown.
func knownParams(scheme string) []string {
	switch scheme {
	case "s3":
		return []string{
			"accelerate", "anonymous", "disable_https", "dualstack", "endpoint", "fips", "hostname_immutable",
			"kmskeyid", "profile", "rate_limiter_capacity", "region", "request_checksum_calculation",
			"response_checksum_validation", "role", "s3ForcePathStyle", "ssetype", "use_path_style",
		}
	case "gs":
		return []string{"anonymous", "endpoint", "universe_domain"}
	case "az", "azblob":
		return []string{"cdn", "domain", "localemu", "protocol", "storage_account"}
	}
	return nil
}

func schemeOf(uri string) string {
	return strings.TrimSuffix(regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*://`).FindString(uri), "://")
}

// parse reads a URI; dir is what plain paths are relative to.
func parse(uri, dir string) (location, error) {
	if uri == "" {
		return location{}, invalidf("empty path")
	}
	if strings.ContainsRune(uri, 0) {
		return location{}, invalidf("a NUL character cannot be part of a path")
	}
	written := schemeOf(uri)
	switch scheme := strings.ToLower(written); scheme {
	case "":
		if !filepath.IsAbs(uri) {
			uri = filepath.Join(dir, uri)
		}
		return location{scheme: "file", key: uri, plain: true}, nil
	case "file":
		return parseFile(uri)
	case "http", "https":
		return parseWeb(scheme, uri)
	case "mem", "s3", "gs", "az", "azblob":
		return parseBucket(scheme, uri[len(written)+len("://"):])
	default:
		return location{}, unsupportedf("unknown scheme %q; known are %s and plain paths%s",
			written, strings.Join(Schemes(), ", "), meant(scheme, Schemes()))
	}
}

func meant(name string, known []string) string {
	if s := diag.Suggest(name, known); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	return ""
}

func parseFile(uri string) (location, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return location{}, invalidf("not a file URL (write %% as %%25, or give the plain path)")
	}
	switch {
	case u.Host != "" && u.Host != "localhost" || u.User != nil:
		return location{}, invalidf("a file URL has no host: write file:///absolute/path, or the plain path")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return location{}, invalidf("a file URL has no parameters and no fragment: write ? as %%3F and # as %%23")
	case u.Path == "":
		return location{}, invalidf("a file URL needs a path, as in file:///absolute/path")
	}
	return location{scheme: "file", key: u.Path}, nil
}

func parseWeb(scheme, uri string) (location, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" {
		return location{}, invalidf("not a web address")
	}
	u.Fragment = ""
	return location{scheme: scheme, bucket: u.Host, key: u.String()}, nil
}

func parseBucket(scheme, rest string) (location, error) {
	if scheme == "az" {
		scheme = "azblob"
	}
	l := location{scheme: scheme}
	if path, params, ok := strings.Cut(rest, "?"); ok && strings.Contains(params, "=") {
		if err := checkParams(scheme, params); err != nil {
			return location{}, err
		}
		rest, l.params = path, params
	}
	l.bucket, l.key, _ = strings.Cut(rest, "/")
	switch {
	case strings.ContainsAny(l.bucket, "@:"):
		return location{}, invalidf("credentials and ports do not belong into a %s URI: "+
			"set them in the environment, and the server with ?endpoint=", scheme)
	case l.bucket == "" && scheme != "mem":
		return location{}, invalidf("no bucket: write %s://bucket/key", scheme)
	}
	return l, nil
}

func checkParams(scheme, params string) error {
	q, err := url.ParseQuery(params)
	if err != nil {
		return invalidf("malformed parameters after the question mark")
	}
	known := knownParams(scheme)
	for name, values := range q {
		if !slices.Contains(known, name) {
			return invalidf("unknown parameter %q; known are: %s%s",
				name, strings.Join(known, ", "), meant(name, known))
		}
		if len(values) > 1 {
			return invalidf("parameter %q stands there twice", name)
		}
	}
	return nil
}

// uri returns the URI of another key in the same place, in the style in which
// this location was written.
func (l location) uri(key string) string {
	switch {
	case l.plain:
		return key
	case l.scheme == "file":
		return (&url.URL{Scheme: "file", Path: key}).String()
	}
	s := l.scheme + "://" + l.bucket + "/" + key
	if l.params != "" {
		s += "?" + l.params
	}
	return s
}

// Redact returns a URI as it may be shown: user names, passwords and the values
// of all parameters that are not known to be harmless are masked.
func Redact(uri string) string {
	scheme := strings.ToLower(schemeOf(uri))
	if scheme == "" || scheme == "file" {
		return uri
	}
	head, rest := uri[:len(scheme)+len("://")], uri[len(scheme)+len("://"):]
	rest, query, hasQuery := strings.Cut(rest, "?")
	host, path, hasPath := strings.Cut(rest, "/")
	if at := strings.LastIndex(host, "@"); at >= 0 {
		host = "***" + host[at:]
	}
	if hasPath {
		host += "/" + path
	}
	if hasQuery {
		host += "?" + redactQuery(scheme, query)
	}
	return head + host
}

func redactQuery(scheme, query string) string {
	known := knownParams(scheme)
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, v, ok := strings.Cut(pair, "=")
		switch {
		case !ok && len(known) == 0:
			pairs[i] = "***"
		case ok && !slices.Contains(known, name):
			pairs[i] = name + "=***"
		case ok:
			pairs[i] = name + "=" + Redact(v)
		}
	}
	return strings.Join(pairs, "&")
}
