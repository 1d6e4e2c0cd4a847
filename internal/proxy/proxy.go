package proxy

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tea-agents/tea/engine/cassette"
	"github.com/tea-agents/tea/value"
)

// Options say how a proxy works.
type Options struct {
	// Session records and replays. It is the caller's to finish, after Serve.
	Session *cassette.Session
	// Upstreams are where requests go; nil is where the providers live.
	Upstreams Upstreams
	// Dial opens connections to upstreams; nil is the system's. In a replay it is
	// not used.
	Dial Dial
	// Failed hears of every failure that was answered by the proxy itself, from
	// many goroutines at once. nil drops them.
	Failed func(method, path string, err error)
	// Grace is how long requests under way have to end when Serve is to; 0 is five
	// seconds.
	Grace time.Duration
}

// Proxy is an HTTP handler. Make one with New.
type Proxy struct {
	options   Options
	upstreams Upstreams
	pool      *http.Transport
	through   http.RoundTripper
	handling  sync.WaitGroup

	requests, misses, failures atomic.Int64
}

// New returns a proxy.
func New(o Options) (*Proxy, error) {
	p := &Proxy{options: o, upstreams: o.Upstreams}
	if p.upstreams == nil {
		var err error
		if p.upstreams, err = ParseUpstreams(nil); err != nil {
			return nil, err
		}
	}
	dial, proxied := o.Dial, http.ProxyFromEnvironment
	switch {
	case o.Session.Mode() == cassette.Replay:
		dial, proxied = noDial, nil
	case dial == nil:
		dial = (&net.Dialer{}).DialContext
	}
	p.pool = connections(dial, proxied)
	p.through = o.Session.Transport(forwarder{p.pool})
	if p.options.Failed == nil {
		p.options.Failed = func(string, string, error) {}
	}
	return p, nil
}

// Misses returns how many requests no recording had an answer to.
func (p *Proxy) Misses() int { return int(p.misses.Load()) }

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.handling.Add(1)
	defer p.handling.Done()
	switch own, isOwn := strings.CutPrefix(r.URL.Path, "/"+ownPath+"/"); {
	case r.Method == http.MethodConnect:
		http.Error(w, "CONNECT is not possible here: "+strings.ReplaceAll(useBaseURL, "ADDRESS", localAddr(r)), http.StatusNotImplemented)
	case isOwn && (r.URL.Host == "" || toSelf(r)):
		p.serveOwn(w, own)
	default:
		p.requests.Add(1)
		p.forward(w, r)
	}
}

func localAddr(r *http.Request) string {
	if own, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return own.String()
	}
	return "ADDRESS"
}

// serveOwn answers questions about the proxy itself.
func (p *Proxy) serveOwn(w http.ResponseWriter, what string) {
	mode := value.M("mode", value.String(p.options.Session.Mode().String()))
	var v value.Value
	switch what {
	case "health":
		v = value.Object(value.M("status", value.String("ok")), mode)
	case "stats":
		v = value.Object(mode,
			value.M("requests", value.Int(p.requests.Load())),
			value.M("made", value.Int(int64(p.options.Session.Made()))),
			value.M("misses", value.Int(p.misses.Load())),
			value.M("failures", value.Int(p.failures.Load())),
			value.M("cassette", value.String(p.options.Session.Path())))
	default:
		http.Error(w, "there are /_tea/health and /_tea/stats", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(v.AppendJSON(nil), '\n'))
}

// forward passes a request on and its answer back.
func (p *Proxy) forward(w http.ResponseWriter, r *http.Request) {
	to, err := p.route(r)
	if err != nil {
		p.fail(w, r, to.provider, err)
		return
	}
	res, err := p.through.RoundTrip(outgoing(r, to))
	if err != nil {
		p.fail(w, r, to.provider, err)
		return
	}
	header := w.Header()
	for name, values := range res.Header {
		header[name] = values
	}
	removeHopByHop(header)
	w.WriteHeader(res.StatusCode)
	err = pass(w, res.Body)
	if closed := res.Body.Close(); err == nil {
		err = closed
	}
	if err != nil {
		p.cut(r, err)
	}
}

// cut ends an answer that cannot be sent to its end, so that the client sees
// that something is missing.
func (p *Proxy) cut(r *http.Request, err error) {
	if r.Context().Err() == nil {
		p.failures.Add(1)
		p.options.Failed(r.Method, r.URL.Path, err)
	}
	panic(http.ErrAbortHandler) // how a handler cuts its connection
}

// pass copies a body, every chunk at once.
func pass(w http.ResponseWriter, body io.Reader) error {
	out := http.NewResponseController(w)
	buffer := make([]byte, 32<<10)
	for {
		n, err := body.Read(buffer)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return err
			}
			if err := out.Flush(); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

func (p *Proxy) fail(w http.ResponseWriter, r *http.Request, provider string, err error) {
	if r.Context().Err() != nil {
		return // nobody is there to hear it
	}
	var miss *cassette.ReplayMissError
	if errors.As(err, &miss) {
		p.misses.Add(1)
	} else {
		p.failures.Add(1)
	}
	p.options.Failed(r.Method, r.URL.Path, err)
	explain(err).write(w, provider)
}
