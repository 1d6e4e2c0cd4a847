package exchangetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tea-agents/tea/internal/llm"
	"github.com/tea-agents/tea/value"
)

// Run checks the rules of [llm.Client] that are the same for all.
func Run(t *testing.T, d Dialect) {
	t.Helper()
	for name, s := range map[string]Sample{"text": d.Text, "tool": d.Tool} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d.whole(t, s)
			d.streamed(t, s)
		})
		t.Run(name+" cut cleanly", func(t *testing.T) {
			t.Parallel()
			d.cut(t, s, true)
		})
		t.Run(name+" aborted", func(t *testing.T) {
			t.Parallel()
			d.cut(t, s, false)
		})
		t.Run(name+" in one piece, cut", func(t *testing.T) {
			t.Parallel()
			d.cutWhole(t, s)
		})
	}
	t.Run("refusals", func(t *testing.T) { t.Parallel(); d.refusals(t) })
	t.Run("failure within a stream", func(t *testing.T) { t.Parallel(); d.failsMidway(t) })
	t.Run("not understood", func(t *testing.T) { t.Parallel(); d.misunderstood(t) })
	t.Run("canceled", func(t *testing.T) { t.Parallel(); d.canceled(t) })
	t.Run("no connection", func(t *testing.T) { t.Parallel(); d.unreached(t) })
}

func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func says(contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	}
}

func (d Dialect) question() llm.Request {
	r := Question(d.Model)
	r.Tools = Tools()
	return r
}

func ignore(llm.Delta) {}

func (d Dialect) whole(t *testing.T, s Sample) {
	t.Helper()
	got, err := d.client(t, serve(t, says("application/json", s.JSON))).Generate(t.Context(), d.question(), nil)
	d.check(t, s, got, err, s.JSON)
}

func (d Dialect) streamed(t *testing.T, s Sample) {
	t.Helper()
	var deltas []string
	got, err := d.client(t, serve(t, says(d.StreamType, s.Stream))).Generate(t.Context(), d.question(), func(x llm.Delta) {
		deltas = append(deltas, x.Text)
		if c := x.ToolCall; c != nil {
			deltas[len(deltas)-1] = fmt.Sprintf("%d %s %s %s", c.Index, c.ID, c.Name, c.Arguments)
		}
	})
	d.check(t, s, got, err, s.Stream)
	if !reflect.DeepEqual(deltas, s.Deltas) {
		t.Errorf("deltas:\n%q\nwant\n%q", deltas, s.Deltas)
	}
}

func (Dialect) check(t *testing.T, s Sample, got llm.Response, err error, raw string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if string(got.Raw) != raw {
		t.Errorf("raw:\n%s\nwant\n%s", got.Raw, raw)
	}
	got.Raw = nil
	if g, w := Show(got), Show(s.Want); g != w {
		t.Errorf("got\n%s\nwant\n%s", g, w)
	}
}

// Show prints all that a response says, but for the raw bytes.
func Show(r llm.Response) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %s %s %+v", r.Content, r.FinishReason, r.Model, r.Usage)
	for _, c := range r.ToolCalls {
		fmt.Fprintf(&b, "\n%s %s %s %s", c.ID, c.Name, c.Arguments.Kind(), c.Arguments)
	}
	return b.String()
}

// cut breaks the stream off after each number of its bytes.
func (d Dialect) cut(t *testing.T, s Sample, clean bool) {
	t.Helper()
	var n atomic.Int64
	c := d.client(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", d.StreamType)
		_, _ = w.Write([]byte(s.Stream[:n.Load()]))
		_ = http.NewResponseController(w).Flush()
		if !clean {
			panic(http.ErrAbortHandler)
		}
	}))
	wholes := 0
	for i := range len(s.Stream) + 1 {
		n.Store(int64(i))
		got, err := c.Generate(t.Context(), d.question(), ignore)
		if s.Marked(i, clean) {
			wholes++
			if err != nil {
				t.Errorf("after %d bytes: %v, though the end was seen", i, err)
			} else if g, w := Show(got), Show(s.Want); g != w {
				t.Errorf("after %d bytes: got\n%s\nwant\n%s", i, g, w)
			}
			continue
		}
		if e := failure(t, err, llm.Unavailable); e == nil || string(e.Raw) != s.Stream[:i] {
			t.Fatalf("after %d bytes of %q: got %s, %v", i, s.Stream[:i], Show(got), err)
		}
	}
	if want := s.Marked(len(s.Stream), clean); want != (wholes > 0) {
		t.Errorf("%d whole answers", wholes)
	}
}

func (d Dialect) cutWhole(t *testing.T, s Sample) {
	t.Helper()
	var n atomic.Int64
	c := d.client(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(s.JSON[:n.Load()]))
	}))
	end := len(strings.TrimRight(s.JSON, "\n"))
	for i := range end {
		n.Store(int64(i))
		if got, err := c.Generate(t.Context(), d.question(), nil); failure(t, err, llm.Unavailable) == nil {
			t.Fatalf("after %d bytes: got %s, %v", i, Show(got), err)
		}
	}
}

// failure returns err if it is of this kind and tells no secret, else nil.
func failure(t *testing.T, err error, kind llm.Kind) *llm.Error {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Errorf("error %v, want one of kind %s", err, kind)
		return nil
	}
	if strings.Contains(e.Error(), Key) {
		t.Errorf("the error tells the key: %v", e)
	}
	return e
}

func (d Dialect) refusals(t *testing.T) {
	t.Helper()
	for status, kind := range map[int]llm.Kind{
		400: llm.InvalidInput, 401: llm.Unauthorized, 403: llm.Denied, 404: llm.NotFound, 413: llm.TooLarge,
		429: llm.Unavailable, 500: llm.Unavailable, 503: llm.Unavailable, 529: llm.Unavailable,
	} {
		for _, sink := range []func(llm.Delta){nil, ignore} {
			var asked atomic.Int64
			words := "these words, and " + Key
			body := d.Refusal(status, words)
			c := d.client(t, serve(t, func(w http.ResponseWriter, _ *http.Request) {
				asked.Add(1)
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			}))
			_, err := c.Generate(t.Context(), d.question(), sink)
			e := failure(t, err, kind)
			if e == nil {
				continue
			}
			if !strings.Contains(e.Error(), "these words, and "+value.Mask) {
				t.Errorf("%d: %q lacks the provider's words", status, e)
			}
			if e.Status != status || e.RetryAfter != 7*time.Second || string(e.Raw) != body {
				t.Errorf("%d: status %d, retry after %v, raw %q", status, e.Status, e.RetryAfter, e.Raw)
			}
			if asked.Load() != 1 {
				t.Errorf("%d: asked %d times", status, asked.Load())
			}
		}
	}
}

func (d Dialect) failsMidway(t *testing.T) {
	t.Helper()
	_, err := d.client(t, serve(t, says(d.StreamType, d.StreamFailure))).Generate(t.Context(), d.question(), ignore)
	if e := failure(t, err, d.StreamFailureKind); e != nil && !strings.Contains(e.Error(), "midway words") {
		t.Errorf("%q lacks the provider's words", e)
	}
}

func (d Dialect) misunderstood(t *testing.T) {
	t.Helper()
	for _, sink := range []func(llm.Delta){nil, ignore} {
		_, err := d.client(t, serve(t, says("text/html", "<html>Sign in</html>\n"))).Generate(t.Context(), d.question(), sink)
		_ = failure(t, err, llm.Failed)
	}
}

func (d Dialect) canceled(t *testing.T) {
	t.Helper()
	for _, begin := range []int{0, len(d.Text.Stream) / 2} {
		for _, late := range []bool{false, true} {
			reached := make(chan struct{})
			c := d.client(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then the server sees the client go
				if begin > 0 {
					says(d.StreamType, d.Text.Stream[:begin])(w, r)
					_ = http.NewResponseController(w).Flush()
				}
				close(reached)
				<-r.Context().Done()
			}))
			d.giveUp(t, c, reached, late)
		}
	}
}

var errEnough = errors.New("had enough")

// giveUp cancels a call, or lets its time pass, once the server was reached.
func (d Dialect) giveUp(t *testing.T, c llm.Client, reached <-chan struct{}, late bool) {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	kind := llm.Canceled
	if late {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, 50*time.Millisecond)
		defer stop()
		kind = llm.Timeout
	} else {
		go func() {
			<-reached
			cancel(errEnough)
		}()
	}
	began := time.Now() //nolint:forbidigo // how long it really takes
	_, err := c.Generate(ctx, d.question(), ignore)
	if e := failure(t, err, kind); e != nil && !late && !errors.Is(e, errEnough) {
		t.Errorf("%v lacks the cause", e)
	}
	if took := time.Since(began); took > 2*time.Second { //nolint:forbidigo // the same
		t.Errorf("took %v", took)
	}
}

func (d Dialect) unreached(t *testing.T) {
	t.Helper()
	s := httptest.NewServer(nil)
	s.Close()
	_, err := d.client(t, s.URL+"/?key="+Key).Generate(t.Context(), d.question(), nil)
	_ = failure(t, err, llm.Unavailable)
}
