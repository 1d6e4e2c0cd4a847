package llmtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"strings"
	"time"
)

// write answers a call.
func write(w http.ResponseWriter, r *http.Request, c Call, a Answer, d dialect) {
	pause(r.Context(), a.Delay)
	if a.Hold != nil {
		select {
		case <-a.Hold:
		case <-r.Context().Done():
		}
	}
	if r.Context().Err() != nil {
		return
	}
	kind, status := "application/json", http.StatusOK
	var pieces []string
	switch {
	case a.Status != 0 && a.Status != http.StatusOK:
		status = a.Status
		pieces = []string{d.fail(a).String()}
	case c.Embed:
		pieces = []string{d.embed(c, a).String()}
	case c.Stream:
		kind, pieces = d.streamType, d.stream(c, a)
	default:
		pieces = []string{d.whole(c, a).String()}
	}
	if a.Body != "" {
		pieces = []string{a.Body}
	}
	if a.Gzip {
		w.Header().Set("Content-Encoding", "gzip")
		pieces = []string{pack(strings.Join(pieces, ""))}
	}
	w.Header().Set("Content-Type", kind)
	if a.RetryAfter != "" {
		w.Header().Set("Retry-After", a.RetryAfter)
	}
	for name, values := range a.Header {
		w.Header()[http.CanonicalHeaderKey(name)] = values
	}
	send(w, r, status, pieces, a)
}

// send writes the pieces, as far as the answer goes.
func send(w http.ResponseWriter, r *http.Request, status int, pieces []string, a Answer) {
	if a.cut && a.clean {
		hangUp(w, status, strings.Join(pieces, "")[:min(a.after, len(strings.Join(pieces, "")))])
		return
	}
	w.WriteHeader(status)
	left := a.after
	for i, piece := range pieces {
		if i > 0 {
			pause(r.Context(), a.Pause)
		}
		if a.cut && len(piece) > left {
			piece = piece[:left]
		}
		left -= len(piece)
		if _, err := w.Write([]byte(piece)); err != nil {
			return
		}
		if a.cut || len(pieces) > 1 {
			_ = http.NewResponseController(w).Flush() // the next write tells
		}
	}
	if a.cut {
		panic(http.ErrAbortHandler) // breaks the connection
	}
}

// hangUp sends a response of no known length and closes the connection.
func hangUp(w http.ResponseWriter, status int, body string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	var b bytes.Buffer
	resp := http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: w.Header(), Close: true, ContentLength: -1}
	_ = resp.Write(&b) // a buffer takes it all
	b.WriteString(body)
	_, _ = conn.Write(b.Bytes()) // the client sees what came
	_ = conn.Close()
}

// pause waits, at most until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}

func pack(body string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(body)) // a buffer takes it all
	_ = z.Close()
	return b.String()
}
