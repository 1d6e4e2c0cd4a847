package cassette

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"sync"
	"time"

	"github.com/tea-agents/tea/value"
)

// patience is how long Close waits for the end of a body that has said that it
// is at its end.
const patience = time.Second

// tape is the body of an answer that is kept while it is read. The embedded
// Response is filled in at its end.
type tape struct {
	session  *Session
	exchange *exchange
	source   io.ReadCloser
	began    time.Time

	mu    sync.Mutex
	ended bool
	Response
}

// Read implements io.Reader. What it returns is what came, one chunk.
func (t *tape) Read(p []byte) (int, error) {
	n, err := t.source.Read(p)
	if n > 0 {
		t.keep(p[:n])
	}
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		if failed := t.end(true); failed != nil {
			return n, failed
		}
	default:
		if failed := t.end(false); failed != nil {
			return n, errors.Join(err, failed)
		}
	}
	return n, err
}

func (t *tape) keep(chunk []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.ended {
		t.Chunks = append(t.Chunks, Chunk{Bytes: bytes.Clone(chunk), After: t.session.options.Now().Sub(t.began)})
	}
}

// Close implements io.Closer. Clients that know where an answer ends, by its end
// mark or its JSON, close it without asking for more; then the rest, which is
// nothing, is read here.
func (t *tape) Close() error {
	if t.saidAll() {
		late := time.AfterFunc(patience, func() { _ = t.source.Close() })
		_, _ = io.Copy(io.Discard, t)
		late.Stop()
	}
	return errors.Join(t.end(false), t.source.Close())
}

// saidAll tells whether the end is not reached, but nothing is missing.
func (t *tape) saidAll() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return false
	}
	body := joined(t.Chunks)
	if t.exchange.endpoint.Provider == "" {
		_, err := value.Parse(body)
		return err == nil
	}
	return t.exchange.endpoint.Answer(t.Status, t.Header.Get("Content-Type"), body).Complete
}

// end records the answer: whole when its source was read to the end, cut
// otherwise. Only the first call counts.
func (t *tape) end(whole bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		return nil
	}
	t.ended = true
	kind := t.Header.Get("Content-Type")
	t.Duration = t.session.options.Now().Sub(t.began)
	t.Complete = whole && t.exchange.endpoint.Answer(t.Status, kind, joined(t.Chunks)).Complete
	t.hide()
	a := t.exchange.endpoint.Answer(t.Status, kind, t.Body)
	t.Text, t.ToolUses, t.Usage = a.Text, a.ToolUses, a.Usage
	if !a.Stream && !streams(kind) {
		t.Chunks = nil
	}
	return t.session.Add(t.exchange.request, t.Response)
}

// streams tells whether bodies of a content type come in parts that matter.
func streams(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	switch kind {
	case "text/event-stream", "application/x-ndjson", "application/jsonl", "application/stream+json":
		return true
	}
	return false
}
