package proxy

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"time"
)

const (
	readHeader   = 10 * time.Second // for the header of a request
	defaultGrace = 5 * time.Second
)

// Serve answers on l until ctx is done, and then lets requests under way end.
// It returns when no request is under way any more: nil, or why l failed.
func (p *Proxy) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{Handler: p, ReadHeaderTimeout: readHeader}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	var err error
	select {
	case err = <-served:
	case <-ctx.Done():
		p.shutdown(server)
		<-served
	}
	p.handling.Wait()
	p.pool.CloseIdleConnections()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// shutdown ends a server: in peace, or when that takes too long, by force.
func (p *Proxy) shutdown(server *http.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(p.options.Grace, defaultGrace))
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close()
	}
}
