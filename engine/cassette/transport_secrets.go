package cassette

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/tea-agents/tea/internal/llmwire"
	"github.com/tea-agents/tea/internal/spelling"
	"github.com/tea-agents/tea/value"
)

// shortestCredential is how long a credential must be to be masked wherever it
// stands: shorter ones are words.
const shortestCredential = 8

// credentials returns those that a request is made with. Servers like to say
// them again, in errors above all.
func credentials(req *http.Request) []string {
	var all []string
	for _, name := range []string{"Authorization", "Proxy-Authorization", "X-Api-Key", "Api-Key", "X-Goog-Api-Key"} {
		for _, v := range req.Header.Values(name) {
			if _, token, found := strings.Cut(v, " "); found {
				v = token
			}
			all = append(all, v)
		}
	}
	for name, values := range req.URL.Query() {
		if namesQueryCredential(name) {
			all = append(all, values...)
		}
	}
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < shortestCredential })
}

func namesQueryCredential(name string) bool {
	switch strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name)) {
	case "key", "apikey", "xapikey", "xgoogapikey", "accesstoken", "token", "subscriptionkey", "sig", "signature":
		return true
	}
	return false
}

// masking returns a session that masks what s does, and the credentials of a
// request. It does nothing else.
func (s *Session) masking(own []string) *Session {
	if len(own) == 0 {
		return s
	}
	replace := spelling.New(value.Mask, own...).Replace
	return &Session{options: Options{Redact: func(text string) string { return s.options.Redact(replace(text)) }}}
}

// hide masks secrets in the answer: in what came, and in what the events of a
// stream spell together, a few letters each.
func (t *tape) hide() {
	masks := t.session.masking(t.exchange.credentials)
	for _, values := range t.Header {
		for i, v := range values {
			values[i] = masks.text(v)
		}
	}
	if events, chunks := byEvent(t.Header.Get("Content-Type"), t.Chunks); masks.respell(events, chunks) {
		t.Chunks = chunks
	}
	t.Chunks = masks.cleanChunks(t.Chunks)
	t.Body = joined(t.Chunks)
}

// respell masks what events spell together, and tells whether there was
// anything.
func (s *Session) respell(events []llmwire.Event, chunks []Chunk) bool {
	for i, e := range events {
		if v, err := value.Parse(e.Data); err == nil {
			chunks[i].Data = v
		}
	}
	before := slices.Clone(chunks)
	s.cleanData(chunks)
	changed := false
	for i, e := range events {
		if !value.Equal(before[i].Data, chunks[i].Data) {
			changed = true
			chunks[i].Bytes = bytes.Replace(e.Raw, e.Data, chunks[i].Data.AppendJSON(nil), 1)
		}
		chunks[i].Data = value.Null()
	}
	return changed
}

// byEvent returns the events of a stream, and for each a chunk, which came when
// its first byte did.
func byEvent(contentType string, chunks []Chunk) ([]llmwire.Event, []Chunk) {
	if !streams(contentType) {
		return nil, nil
	}
	split := llmwire.NDJSON
	if strings.HasPrefix(contentType, "text/event-stream") {
		split = llmwire.SSE
	}
	events := split(joined(chunks))
	made := make([]Chunk, len(events))
	begin, came, next := 0, 0, 0 // of the event; which chunk, and where the one after it begins
	for i, e := range events {
		for came < len(chunks) && next <= begin {
			next += len(chunks[came].Bytes)
			came++
		}
		made[i] = Chunk{Bytes: e.Raw, After: chunks[max(came-1, 0)].After}
		begin += len(e.Raw)
	}
	return events, made
}
