package rest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// MaxBytes is the largest body of an answer unless a Service says otherwise.
const MaxBytes = 10 << 20

// Service is an API that speaks JSON over HTTP. It is safe for concurrent use
// as long as nobody changes it.
type Service struct {
	// Name is what messages call the service.
	Name string
	// Base is the address that paths are joined to.
	Base string
	// Header is sent with every request. It may hold credentials: redirects to
	// other hosts are not followed.
	Header http.Header
	// Hidden are the texts that no message shows, such as the key.
	Hidden []string
	// MaxBytes bounds the body of an answer; 0 is the package's MaxBytes.
	MaxBytes int64
	// HTTP carries the requests.
	HTTP *http.Client
	// Clock reads a Retry-After that is a date.
	Clock actions.Clock
}

// Request is one request to a service.
type Request struct {
	Method string
	Path   string     // joined to the base, escaped, with a leading slash
	Query  url.Values // nil for none
	Body   []byte     // nil for none
	Type   string     // media type of the body; "" is JSON
}

// JSON returns a request with v as its body.
func JSON(method, path string, v value.Value) (Request, error) {
	body, err := v.Canonical()
	if err != nil {
		return Request{}, actions.Errorf(actions.CodeInvalidInput, "%w", err)
	}
	return Request{Method: method, Path: path, Body: body}, nil
}

// Answer is what a service says.
type Answer struct {
	JSON value.Value
	Raw  []byte // byte for byte
}

// Do makes a request and reads the answer. Every error has a code, that of
// [Failure] where the service refuses; when ctx ends it is the cause of that.
func (s *Service) Do(ctx context.Context, r Request) (Answer, error) {
	req, err := s.build(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	client := *s.HTTP
	client.CheckRedirect = stayHome
	resp, err := client.Do(req)
	if err != nil {
		return Answer{}, s.unreachable(ctx, err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	most := s.MaxBytes
	if most == 0 {
		most = MaxBytes
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		return Answer{}, s.unreachable(ctx, err)
	case int64(len(body)) > most:
		return Answer{}, actions.Errorf(actions.CodeTooLarge, "%s: the answer is larger than %d bytes", s.Name, most)
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return Answer{}, Failure(s.Name, resp, body, s.Clock.Now(), s.Hidden)
	}
	v, err := value.Parse(body)
	if err != nil {
		return Answer{}, actions.Errorf(actions.CodeFailed, "%s: the answer cannot be read: %w", s.Name, err)
	}
	return Answer{JSON: v, Raw: body}, nil
}

func (s *Service) build(ctx context.Context, r Request) (*http.Request, error) {
	base, err := Address("base_url", s.Base)
	if err != nil {
		return nil, err
	}
	target := strings.TrimRight(base.String(), "/") + r.Path
	if len(r.Query) > 0 {
		target += "?" + r.Query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, target, bytes.NewReader(r.Body))
	if err != nil {
		return nil, actions.Errorf(actions.CodeInvalidInput, "%s: the request cannot be made", s.Name)
	}
	req.Header = s.Header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("User-Agent", "tea")
	req.Header.Set("Accept", "application/json")
	if r.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.Type != "" {
		req.Header.Set("Content-Type", r.Type)
	}
	return req, nil
}

// Address reads the address in the parameter called param: http or https, with
// a host, and nothing behind the path.
func Address(param, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, actions.Errorf(actions.CodeInvalidInput, "%s: not an address that begins with http:// or https://", param)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, actions.Errorf(actions.CodeInvalidInput, "%s: an address without user name, query and fragment is wanted", param)
	}
	return u, nil
}

// stayHome follows redirects within one host: keys in headers of a service's
// own are sent along by net/http.
func stayHome(req *http.Request, via []*http.Request) error {
	if len(via) >= 10 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return http.ErrUseLastResponse
	}
	return nil
}

// unreachable says why there is no answer. The text of a *url.Error repeats
// the address with its query.
func (s *Service) unreachable(ctx context.Context, err error) error {
	return Unreachable(ctx, s.Name, err, s.Hidden)
}

// Unreachable is the error of a request that got no answer, from whoever is
// called name: the cause of the end of ctx if it ended, else unavailable, or
// timeout where the network says so, or the code that err has already.
func Unreachable(ctx context.Context, name string, err error, hidden []string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	message := Hide(fmt.Sprintf("%s: %v", name, err), hidden)
	var coded *actions.Error // of a transport that replays
	if errors.As(err, &coded) {
		return &actions.Error{Code: coded.Code, Message: message, RetryAfter: coded.RetryAfter, Err: err}
	}
	var slow interface{ Timeout() bool }
	if errors.As(err, &slow) && slow.Timeout() {
		return &actions.Error{Code: actions.CodeTimeout, Message: message, Err: err}
	}
	return &actions.Error{Code: actions.CodeUnavailable, Message: message, Err: err}
}

// Within bounds the work of whoever is called name: when d is over, the cause
// is an error with the code timeout.
func Within(ctx context.Context, d time.Duration, name string) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, actions.Errorf(actions.CodeTimeout, "%s: no answer within %s", name, d))
}
