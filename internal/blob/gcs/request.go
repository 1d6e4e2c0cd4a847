package gcs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

const (
	retries   = 3
	firstWait = 200 * time.Millisecond // doubled from one attempt to the next
	mostError = 64 << 10               // bytes of an error's text that are read
)

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d) //nolint:forbidigo // the default of Options.Wait
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// request is one that can be sent again.
type request struct {
	method, url string
	header      http.Header
	body        []byte
	once        bool // doing it twice has another effect than doing it once
}

// statusError is an answer that is a failure.
type statusError struct {
	status  int
	message string
}

func (e *statusError) Error() string { return fmt.Sprintf("%d %s", e.status, e.message) }

// HTTPStatusCode tells internal/blob what the server answered.
func (e *statusError) HTTPStatusCode() int { return e.status }

// do sends r, and again while that can help. The caller closes the body.
func (b *bucket) do(ctx context.Context, r request) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		resp, err := b.send(ctx, r)
		if err == nil || attempt == retries || !r.again(ctx, err) {
			return resp, err
		}
		if err := b.wait(ctx, firstWait<<attempt); err != nil {
			return nil, err
		}
	}
}

// again tells whether to send r another time. A server that limits the rate has
// not done anything; after other failures it may have.
func (r request) again(ctx context.Context, err error) bool {
	var failed *statusError
	switch {
	case ctx.Err() != nil:
		return false
	case errors.As(err, new(*oauth2.RetrieveError)):
		return false // no credentials, or expired ones
	case !errors.As(err, &failed):
		return !r.once // the connection failed
	case failed.status == http.StatusTooManyRequests:
		return true
	}
	return !r.once && (failed.status >= 500 || failed.status == http.StatusRequestTimeout)
}

// send sends r once. An answer that is neither success nor the request to go on
// with an upload is a statusError.
func (b *bucket) send(ctx context.Context, r request) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if r.header != nil {
		req.Header = r.header.Clone()
	}
	resp, err := b.client.Do(req)
	if err != nil {
		var ue *url.Error
		if errors.As(err, &ue) { // its text has the address of an upload, which is secret
			err = ue.Err
		}
		return nil, err
	}
	if resp.StatusCode < 300 || resp.StatusCode == http.StatusPermanentRedirect {
		return resp, nil
	}
	defer resp.Body.Close()                                     //nolint:errcheck // only read from
	text, _ := io.ReadAll(io.LimitReader(resp.Body, mostError)) // the status says enough
	return nil, &statusError{resp.StatusCode, message(text, resp.StatusCode)}
}

// message returns what an error of the API says in words.
func message(text []byte, status int) string {
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(text, &answer) == nil && answer.Error.Message != "" {
		return answer.Error.Message
	}
	return strings.ToLower(http.StatusText(status))
}

func (b *bucket) get(ctx context.Context, address string, into any) error {
	resp, err := b.do(ctx, request{method: http.MethodGet, url: address})
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	return json.NewDecoder(resp.Body).Decode(into)
}
