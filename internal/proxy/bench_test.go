package proxy_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/internal/proxy"
)

const (
	benchPath = "/openai/v1/chat/completions"
	benchBody = `{"model":"gpt-4o-mini","temperature":0,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"question %d"}]}`
)

// provider streams or answers like OpenAI, at once.
func provider(b *testing.B) *httptest.Server {
	b.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"stream":true`)) {
			w.Header().Set("Content-Type", "text/event-stream")
			for range 20 {
				io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"word "}}]}`+"\n\n")
				w.(http.Flusher).Flush()
			}
			io.WriteString(w, "data: [DONE]\n\n")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"choices":[{"index":0,"message":{"role":"assistant","content":%q}}],"usage":{"prompt_tokens":20,"completion_tokens":200}}`, strings.Repeat("word ", 200))
	}))
	b.Cleanup(s.Close)
	return s
}

// BenchmarkReplay replays through a real socket, with as many clients as there
// are processors.
func BenchmarkReplay(b *testing.B) {
	up := provider(b)
	for _, name := range []string{"plain", "stream"} {
		b.Run(name, func(b *testing.B) {
			const questions = 100
			path := filepath.Join(b.TempDir(), "c.yaml")
			body := benchBody
			if name == "stream" {
				body = strings.Replace(body, "{", `{"stream":true,`, 1)
			}
			pool := &http.Transport{MaxIdleConnsPerHost: 64}
			defer pool.CloseIdleConnections()
			c := &http.Client{Transport: pool}
			send := func(p *running, i int) {
				res, err := c.Post(p.url(benchPath), "application/json", strings.NewReader(fmt.Sprintf(body, i%questions)))
				if err != nil {
					b.Error(err)
					return
				}
				defer res.Body.Close()
				if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != 200 {
					b.Error(res.StatusCode, err)
				}
			}
			p := record(b, path, up.URL)
			for i := range questions {
				send(p, i)
			}
			p.finish(b)
			p = start(b, path, cassette.Options{Mode: cassette.Replay, OnExhausted: "last"}, proxy.Options{Dial: noNetwork(b)})
			var n atomic.Int64
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					send(p, int(n.Add(1)))
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "req/s")
		})
	}
}

// BenchmarkFirstByte tells how much later the first byte of a stream comes
// through the proxy than from the provider itself: the difference of medians,
// the two asked in turn.
func BenchmarkFirstByte(b *testing.B) {
	up := provider(b)
	p := record(b, filepath.Join(b.TempDir(), "c.yaml"), up.URL)
	pool := &http.Transport{}
	defer pool.CloseIdleConnections()
	c := &http.Client{Transport: pool}
	first := func(address string, i int) time.Duration {
		began := time.Now()
		res, err := c.Post(address, "application/json", strings.NewReader(strings.Replace(fmt.Sprintf(benchBody, i), "{", `{"stream":true,`, 1)))
		if err != nil {
			b.Fatal(err)
		}
		defer res.Body.Close()
		if _, err := io.ReadFull(res.Body, make([]byte, 1)); err != nil {
			b.Fatal(err)
		}
		took := time.Since(began)
		io.Copy(io.Discard, res.Body)
		return took
	}
	var direct, through []time.Duration
	i := 0
	for b.Loop() {
		direct = append(direct, first(up.URL+"/v1/chat/completions", i))
		through = append(through, first(p.url(benchPath), i))
		i++
	}
	b.ReportMetric(float64(median(through)-median(direct))/1e3, "added-µs")
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
