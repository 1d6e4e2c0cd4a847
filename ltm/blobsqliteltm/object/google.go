package object

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
)

// googleObject is an object of Google Cloud Storage. Its marks are generations.
type googleObject struct {
	client, own      *http.Client // with credentials, and beneath them
	server, name     string
	bucket           string
	object, uploadTo string
}

// openGoogle uses the default credentials of Google's tools, none where the URL
// says anonymous=true, and STORAGE_EMULATOR_HOST where it is set.
func openGoogle(ctx context.Context, u *url.URL) (Object, error) {
	q := u.Query()
	anonymous, err := flag(q, "anonymous")
	if err != nil {
		return nil, err
	}
	g := &googleObject{own: newClient(), bucket: u.Host, name: strings.TrimPrefix(u.Path, "/")}
	g.client, g.server = g.own, q.Get("endpoint")
	emulated := os.Getenv("STORAGE_EMULATOR_HOST")
	if g.server == "" && emulated != "" {
		g.server = emulated
		if !strings.Contains(emulated, "://") {
			g.server = "http://" + emulated
		}
	}
	if !anonymous && emulated == "" {
		if err := g.authorize(ctx); err != nil {
			return nil, err
		}
	}
	if g.server == "" {
		g.server = "https://storage.googleapis.com"
	}
	g.server = strings.TrimSuffix(strings.TrimRight(g.server, "/"), "/storage/v1")
	bucket := url.PathEscape(g.bucket)
	g.object = g.server + "/storage/v1/b/" + bucket + "/o/" + url.PathEscape(g.name)
	g.uploadTo = g.server + "/upload/storage/v1/b/" + bucket + "/o"
	return g, nil
}

// authorize adds the default credentials. They are sent to Google alone: the
// server in a URL may be anybody's.
func (g *googleObject) authorize(ctx context.Context) error {
	ctx = context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, g.own) // they outlive the call
	creds, err := google.FindDefaultCredentials(ctx, "https://www.googleapis.com/auth/devstorage.read_write")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDenied, oneLine(err))
	}
	domain, err := creds.GetUniverseDomain()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDenied, oneLine(err))
	}
	if g.server == "" {
		g.server = "https://storage." + domain
	}
	u, err := url.Parse(g.server)
	if err != nil || u.Scheme != "https" || !strings.HasSuffix(u.Hostname(), "."+domain) {
		return fmt.Errorf("%w: your credentials are for https servers of %s only: write anonymous=true "+
			"to go without, or set STORAGE_EMULATOR_HOST", ErrConfig, domain)
	}
	g.client = &http.Client{Transport: &oauth2.Transport{Source: creds.TokenSource, Base: g.own.Transport}}
	return nil
}

// Get implements Object.
func (g *googleObject) Get(ctx context.Context, known Mark, w io.Writer) (Mark, error) {
	address := g.object + "?alt=media"
	if known != "" {
		address += "&ifGenerationNotMatch=" + url.QueryEscape(string(known))
	}
	resp, err := g.do(ctx, http.MethodGet, address, nil, 0)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	mark, err := needMark(resp.Header.Get("X-Goog-Generation"))
	switch {
	case err != nil:
		return "", err
	case mark == known: // it was told before, but did not listen
		return mark, ErrSame
	}
	if _, err := io.Copy(w, resp.Body); err != nil {
		return "", requestError(ctx, err)
	}
	return mark, nil
}

// Put implements Object.
func (g *googleObject) Put(ctx context.Context, content Content, size int64, known Mark) (Mark, error) {
	q := url.Values{"uploadType": {"media"}, "name": {g.name}, "ifGenerationMatch": {"0"}, "fields": {"generation"}}
	if known != "" {
		q.Set("ifGenerationMatch", string(known))
	}
	resp, err := g.do(ctx, http.MethodPost, g.uploadTo+"?"+q.Encode(), io.NewSectionReader(content, 0, size), size)
	if err != nil {
		if errors.Is(err, ErrMissing) {
			err = errors.New("there is no such bucket")
		}
		return "", err
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	return generation(ctx, resp.Body)
}

// do sends a request. An answer that is no success is an error.
func (g *googleObject) do(ctx context.Context, method, address string, body io.Reader, size int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, fmt.Errorf("%w: the endpoint cannot be read", ErrConfig)
	}
	if body != nil {
		req.ContentLength = size
		req.Header.Set("Content-Type", "application/vnd.sqlite3")
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return nil, requestError(ctx, err)
	}
	if resp.StatusCode < 300 {
		return resp, nil
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	_ = resp.Body.Close()
	if s := status(resp.StatusCode); s != nil {
		return nil, s
	}
	return nil, fmt.Errorf("the server answers %s", resp.Status)
}

// requestError drops the address from an error of net/http.
func requestError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.As(err, new(*oauth2.RetrieveError)) {
		return fmt.Errorf("%w: the credentials are refused", ErrDenied)
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// Close implements Object.
func (g *googleObject) Close() error {
	g.own.CloseIdleConnections()
	return nil
}

// generation reads the answer to an upload.
func generation(ctx context.Context, r io.Reader) (Mark, error) {
	var made struct {
		Generation string `json:"generation"`
	}
	if err := json.NewDecoder(r).Decode(&made); err != nil {
		return "", requestError(ctx, err)
	}
	return needMark(made.Generation)
}
