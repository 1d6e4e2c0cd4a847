package blob

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"strings"

	"gocloud.dev/blob"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/tea-agents/tea/internal/blob/gcs"
)

// openGoogle uses the default credentials of Google's tools, none where the URI
// says anonymous=true, and STORAGE_EMULATOR_HOST where it is set.
func openGoogle(ctx context.Context, l location) (*blob.Bucket, error) {
	q, err := url.ParseQuery(l.params)
	if err != nil {
		return nil, err
	}
	server, emulated := q.Get("endpoint"), os.Getenv("STORAGE_EMULATOR_HOST")
	switch domain := q.Get("universe_domain"); {
	case server != "":
	case emulated != "" && strings.Contains(emulated, "://"):
		server = emulated
	case emulated != "":
		server = "http://" + emulated
	case domain != "":
		server = "https://storage." + domain
	}
	o := gcs.Options{Client: &http.Client{}, Server: server, Bucket: l.bucket}
	switch q.Get("anonymous") {
	case "true", "1":
		return gcs.Open(o), nil
	case "", "false", "0":
	default:
		return nil, invalidf("anonymous is true or false")
	}
	if emulated == "" {
		err = authorize(ctx, &o)
	}
	return gcs.Open(o), err
}

// authorize adds the default credentials. They are sent to Google alone: the
// server in a URI may be anybody's.
func authorize(ctx context.Context, o *gcs.Options) error {
	creds, err := google.FindDefaultCredentials(ctx, "https://www.googleapis.com/auth/devstorage.read_write")
	if err != nil {
		return &kindError{ErrDenied, err}
	}
	domain, err := creds.GetUniverseDomain()
	if err != nil {
		return &kindError{ErrDenied, err}
	}
	if o.Server == "" {
		o.Server = "https://storage." + domain
	}
	u, err := url.Parse(o.Server)
	if err != nil || u.Scheme != "https" || !strings.HasSuffix(u.Hostname(), "."+domain) {
		return invalidf("your credentials are for https servers of %s only: write anonymous=true to go without, "+
			"or set STORAGE_EMULATOR_HOST", domain)
	}
	o.Client.Transport = &oauth2.Transport{Source: creds.TokenSource}
	return nil
}
