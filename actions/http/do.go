package httpactions

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/blob"
	"github.com/tea-agents/tea/internal/content"
)

// errTimeout is the cause of a request's end by its own timeout.
var errTimeout = errors.New("the request's timeout")

// do makes a request and reads the answer.
func do(ctx context.Context, env actions.Env, method string, t target, p payload) (response, error) {
	bounded, cancel := context.WithTimeoutCause(ctx, t.Timeout, errTimeout)
	defer cancel()
	req, err := build(bounded, method, t, p)
	if err != nil {
		return response{}, err
	}
	client := *env.HTTP
	if !t.FollowRedirects {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	where := method + " " + blob.Redact(t.URL)
	resp, err := client.Do(req)
	if err != nil {
		return response{}, failure(ctx, bounded, where, t, err)
	}
	defer resp.Body.Close() //nolint:errcheck // only read from
	body, err := io.ReadAll(io.LimitReader(resp.Body, t.MaxBytes+1))
	if err != nil {
		return response{}, failure(ctx, bounded, where, t, err)
	}
	if int64(len(body)) > t.MaxBytes {
		return response{}, actions.Errorf(actions.CodeTooLarge, "%s: the body is larger than max_bytes (%d)", where, t.MaxBytes)
	}
	if err := judge(env, where, t, resp, body); err != nil {
		return response{}, err
	}
	return answer(resp, body), nil
}

// failure says why there is no answer. The text of a *url.Error repeats the
// address, which may hold a credential.
func failure(outer, bounded context.Context, where string, t target, err error) error {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	var slow interface{ Timeout() bool }
	switch {
	case outer.Err() != nil:
		return context.Cause(outer)
	case errors.Is(context.Cause(bounded), errTimeout):
		return actions.Errorf(actions.CodeTimeout, "%s: no answer within %s", where, t.Timeout)
	case errors.As(err, &slow) && slow.Timeout():
		return actions.Errorf(actions.CodeTimeout, "%s: %w", where, err)
	}
	var coded *actions.Error // of a transport that replays
	if errors.As(err, &coded) {
		return actions.Errorf(coded.Code, "%s: %w", where, err)
	}
	return actions.Errorf(actions.CodeUnavailable, "%s: %w", where, err)
}

// judge tells whether the status is a failure.
func judge(env actions.Env, where string, t target, resp *http.Response, body []byte) error {
	status := resp.StatusCode
	ok := status >= 200 && status < 300 || !t.RaiseForStatus
	if len(t.ExpectStatus) > 0 {
		ok = slices.Contains(t.ExpectStatus, status)
	}
	if ok {
		return nil
	}
	message := fmt.Sprintf("%s: status %d", where, status)
	if text := http.StatusText(status); text != "" {
		message += " " + text
	}
	if start := beginning(body); start != "" {
		message += ": " + start
	}
	return &actions.Error{Code: codeOf(status), Message: message, RetryAfter: retryAfter(env, resp)}
}

func codeOf(status int) actions.Code {
	switch {
	case status == http.StatusNotFound, status == http.StatusGone:
		return actions.CodeNotFound
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return actions.CodeDenied
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return actions.CodeTimeout
	case status == http.StatusConflict, status == http.StatusPreconditionFailed:
		return actions.CodeConflict
	case status == http.StatusTooManyRequests, status >= 500:
		return actions.CodeUnavailable
	}
	return actions.CodeFailed
}

// beginning returns the first words of a body, for a message.
func beginning(body []byte) string {
	const most = 200
	if !utf8.Valid(body) {
		return ""
	}
	text := []rune(strings.Join(strings.Fields(string(body[:min(len(body), 4*most)])), " "))
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// retryAfter reads the header Retry-After: seconds, or a date.
func retryAfter(env actions.Env, resp *http.Response) time.Duration {
	text := resp.Header.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(env.Clock.Now()), 0)
	}
	return 0
}

// answer makes the result. It has nothing in it that only the making of this
// very request could say, such as how long it took.
func answer(resp *http.Response, body []byte) response {
	out := response{
		Status: resp.StatusCode, Headers: map[string]string{}, Body: string(body), Encoding: "utf-8",
		URL: blob.Redact(resp.Request.URL.String()),
	}
	for name, values := range resp.Header {
		out.Headers[strings.ToLower(name)] = strings.ToValidUTF8(strings.Join(values, ", "), "\ufffd")
	}
	if !utf8.Valid(body) {
		out.Body, out.Encoding = base64.StdEncoding.EncodeToString(body), "base64"
		return out
	}
	if isJSON(resp.Header.Get("Content-Type")) && len(body) > 0 {
		v, err := content.JSON(body)
		if err != nil {
			out.JSONError = err.Error()
			return out
		}
		out.JSON = &v
	}
	return out
}

func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json"))
}
