package object

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	gocloud "gocloud.dev/blob"
	"golang.org/x/oauth2"

	"github.com/tea-agents/tea/internal/blob/gcs"
)

// googleObject is an object of Google Cloud Storage. Its marks are generations.
type googleObject struct {
	*gocloud.Bucket
	answered
	client             *http.Client
	name, kind         string
	address, uploadsTo string
}

func openGoogle(b *gocloud.Bucket, u *url.URL, kind string) Object {
	var o gcs.Options
	b.As(&o)
	in := "/storage/v1/b/" + url.PathEscape(o.Bucket) + "/o"
	return &googleObject{
		Bucket: b, client: o.Client, name: keyOf(u), kind: kind,
		address: o.Server + in + "/" + url.PathEscape(keyOf(u)), uploadsTo: o.Server + "/upload" + in,
	}
}

// Get implements Object.
func (g *googleObject) Get(ctx context.Context, known Mark, w io.Writer) (Mark, error) {
	address := g.address + "?alt=media"
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
	resp, err := g.do(ctx, http.MethodPost, g.uploadsTo+"?"+q.Encode(), io.NewSectionReader(content, 0, size), size)
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
		req.Header.Set("Content-Type", g.kind)
	}
	resp, err := g.client.Do(req)
	if err != nil {
		return nil, requestError(ctx, err)
	}
	g.note(resp.Header)
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
