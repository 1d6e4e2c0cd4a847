package cassette

import (
	"bytes"
	"io"
	"net/http"

	"github.com/tea-agents/tea/value"
)

// Transport returns a RoundTripper that does about requests what the session's
// mode says: it serves recorded answers, or sends requests through base and
// keeps what comes. nil is [http.DefaultTransport]; in a replay base is never
// used.
//
// Two requests are the same when method and body are and, for the endpoints of
// model providers, provider, path and query without credentials, whatever the
// host; for all others, the whole URL. JSON bodies are compared as values.
//
// A body is passed on as it comes, and recorded when it was read to its end. A
// stream counts as complete only with the end mark of its dialect; what is
// closed, cancelled or cut before that is recorded as incomplete, which is not
// replayed. Errors that servers answer with are recorded like any answer;
// a request that got no answer is not. Answers come decoded: servers are asked
// for gzip at most, and clients see neither that nor any other encoding. A
// replayed answer has the status, headers, bytes and chunks of the recorded one.
//
// The error of a miss is a [*ReplayMissError].
func (s *Session) Transport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &transport{session: s, base: base}
}

// Client returns an HTTP client over [Session.Transport].
func (s *Session) Client() *http.Client { return &http.Client{Transport: s.Transport(nil)} }

type transport struct {
	session *Session
	base    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	x, err := readExchange(req)
	if err != nil {
		return nil, err
	}
	found, err := t.session.Lookup(x.request)
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		return t.session.play(req, found)
	}
	return t.send(req, x)
}

// send makes the call.
func (t *transport) send(req *http.Request, x *exchange) (*http.Response, error) {
	began := t.session.options.Now()
	res, err := t.base.RoundTrip(x.outgoing(req))
	if err != nil {
		return nil, err
	}
	res.Request = req
	if res.StatusCode == http.StatusSwitchingProtocols {
		return res, nil // no exchange of one question and one answer any more
	}
	decode(res)
	tape := &tape{session: t.session, exchange: x, source: res.Body, began: began, Response: Response{
		Status: res.StatusCode, Header: res.Header.Clone(), Usage: value.Null(),
	}}
	if empty := res.Body == http.NoBody || res.ContentLength == 0; empty || req.Method == http.MethodHead {
		if err := tape.end(true); err != nil {
			_ = res.Body.Close()
			return nil, err
		}
	}
	res.Body = tape
	return res, nil
}

// outgoing returns the request as it is sent.
func (x *exchange) outgoing(req *http.Request) *http.Request {
	out := req.Clone(req.Context())
	acceptDecodable(out)
	if req.Body == nil || req.Body == http.NoBody {
		return out
	}
	out.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(x.body)), nil }
	out.Body, _ = out.GetBody()
	out.ContentLength = int64(len(x.body))
	return out
}
