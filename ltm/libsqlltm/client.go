package libsqlltm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	maxConns   = 16               // requests at once
	maxAnswer  = 256 << 20        // bytes
	maxMessage = 300              // bytes of what a server says is wrong
	dialLimit  = 10 * time.Second // for a connection
	idleLimit  = 30 * time.Second // how long one is kept for the next request
	pingAfter  = 10 * time.Second // of silence on a shared connection
	busyLimit  = 5 * time.Second  // how long to try again while others write
	busyPause  = 10 * time.Millisecond
	sendLimit  = time.Minute     // for a request whose context has no deadline; a large batch is many
	endLimit   = 5 * time.Second // for closing a stream after its call
)

// client sends batches to a server.
type client struct {
	config
	http   *http.Client
	life   context.Context // of the store
	ending sync.WaitGroup  // streams that are closed after their call
}

func newClient(life context.Context, c config) *client {
	dialer := &net.Dialer{Timeout: dialLimit, KeepAlive: idleLimit}
	return &client{config: c, life: life, http: &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DialContext:         dialer.DialContext,
			TLSHandshakeTimeout: dialLimit,
			MaxConnsPerHost:     maxConns,
			MaxIdleConnsPerHost: maxConns,
			IdleConnTimeout:     idleLimit,
			ForceAttemptHTTP2:   true,
			DisableCompression:  true, // it costs a server more than it saves: 100 ms a MB
			HTTP2:               &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter},
		},
		// A token goes to the server that it is meant for.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (c *client) close() {
	c.ending.Wait()
	c.http.CloseIdleConnections()
}

// run runs statements one after another, each on its own, up to the first error.
func (c *client) run(ctx context.Context, statements ...statement) ([]*result, error) {
	return c.batch(ctx, sequence(statements), len(statements))
}

// transact runs statements in a transaction: all of them happen, or none.
func (c *client) transact(ctx context.Context, statements ...statement) ([]*result, error) {
	all := append([]statement{sql("BEGIN IMMEDIATE")}, statements...)
	steps := sequence(append(all, sql("COMMIT")))
	steps = append(steps, step{
		Stmt: sql("ROLLBACK"),
		If:   &condition{Type: "not", Cond: ok(len(steps) - 1)},
	})
	results, err := c.batch(ctx, steps, len(steps)-1)
	if err != nil {
		return nil, err
	}
	return results[1 : 1+len(statements)], nil
}

// batch runs a batch that stands alone and returns the results of its first n
// steps. While the server is busy with the writes of others, the batch has done
// nothing, and is tried again.
func (c *client) batch(ctx context.Context, steps []step, n int) ([]*result, error) {
	patience, cancel := context.WithTimeout(ctx, busyLimit)
	defer cancel()
	for {
		a, err := c.send(ctx, c.base, request{Requests: []action{
			{Type: "batch", Batch: &batch{Steps: steps}}, {Type: "close"},
		}})
		if err != nil {
			return nil, err
		}
		results, err := a.results(n)
		if !busy(err) || patience.Err() != nil {
			return results, err
		}
		pause, cancel := context.WithTimeout(patience, busyPause)
		<-pause.Done()
		cancel()
	}
}

// send sends a request whose first part is a batch, and returns its answer.
func (c *client) send(ctx context.Context, base string, r request) (*response, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, sendLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v2/pipeline", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // the caller knows the URL
		}
		return nil, fmt.Errorf("%w: %w", errNetwork, err)
	}
	defer func() { _ = res.Body.Close() }() // it was read to its end, or failed before
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNetwork, err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, c.refusal(res.StatusCode, text)
	}
	var a response
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, fmt.Errorf("%w: %w", errAnswer, err)
	}
	return &a, nil
}

// refusal returns the error of an answer that is none.
func (c *client) refusal(status int, text []byte) error {
	var e struct {
		serverError
		Error string `json:"error"`
	}
	if json.Unmarshal(text, &e) != nil || e.Message == "" && e.Error == "" {
		e.Message = strings.TrimSpace(string(text[:min(len(text), maxMessage)]))
	}
	message := strings.ToValidUTF8(e.Message+e.Error, "?")
	if c.token != "" {
		message = strings.ReplaceAll(message, c.token, "xxxxx")
	}
	return &serverError{Message: message, Code: e.Code, status: status}
}

// results returns the results of the first n steps, or the first error.
func (a *response) results(n int) ([]*result, error) {
	if len(a.Results) == 0 {
		return nil, fmt.Errorf("%w: it is empty", errAnswer)
	}
	if e := a.Results[0].Error; e != nil {
		return nil, e
	}
	b := &a.Results[0].Response.Result
	for _, e := range b.Errors {
		if e != nil {
			return nil, e
		}
	}
	if len(b.Results) < n {
		return nil, fmt.Errorf("%w: %d results instead of %d", errAnswer, len(b.Results), n)
	}
	for i, r := range b.Results[:n] {
		if r == nil {
			return nil, fmt.Errorf("%w: statement %d was not run", errAnswer, i+1)
		}
	}
	return b.Results[:n], nil
}
