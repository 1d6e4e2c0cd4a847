package redisltm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm/driver"
)

// slack is how much earlier than a context its connection may end.
const slack = 20 * time.Millisecond

// do makes a call of the store. It returns soon after ctx ends, while f may
// still wait for its connection: f must not use what the caller gets back.
func (s *Store) do(ctx context.Context, f func(context.Context) error) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() {
		defer s.calls.Done()
		ctx, cancel := s.whileOpen(ctx)
		defer cancel()
		done <- f(ctx)
	}()
	select {
	case err := <-done:
		return s.fail(ctx, err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// again is do for a call that changes nothing: it is made once more when the
// connection broke.
func (s *Store) again(ctx context.Context, f func(context.Context) error) error {
	return s.do(ctx, func(ctx context.Context) error {
		err := f(ctx)
		if err != nil && ctx.Err() == nil && broken(err) {
			err = f(ctx)
		}
		return err
	})
}

// write is do for a call that changes something.
func (s *Store) write(ctx context.Context, f func(context.Context) error) error {
	if s.config.readOnly {
		return driver.ErrReadOnly
	}
	return s.do(ctx, f)
}

// begin counts a call, or returns why it cannot be made.
func (s *Store) begin(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return driver.ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.calls.Add(1)
	return nil
}

// fail returns err as one of the kinds that a driver returns.
func (s *Store) fail(ctx context.Context, err error) error {
	switch {
	case err == nil, errors.Is(err, driver.ErrConflict), errors.Is(err, driver.ErrNotFound):
		return err
	case s.life.Err() != nil:
		return driver.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if deadline, ok := ctx.Deadline(); ok && timedOut(err) && time.Until(deadline) < slack {
		<-ctx.Done() // the connection has noticed first
		return ctx.Err()
	}
	if k := kind(err); k != nil {
		return fmt.Errorf("%w: %w", k, err)
	}
	return err
}

func timedOut(err error) bool {
	var e net.Error
	return errors.As(err, &e) && e.Timeout()
}

// kind returns the kind of an error of the server or of the way to it, nil for
// one that has its kind already, or none.
func kind(err error) error {
	for _, known := range []error{driver.ErrConfig, driver.ErrNewer, driver.ErrCorrupt} {
		if errors.Is(err, known) {
			return nil
		}
	}
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return driver.ErrConfig
	}
	if broken(err) {
		return driver.ErrUnavailable
	}
	var e redis.Error
	if !errors.As(err, &e) {
		return nil
	}
	code, rest, _ := strings.Cut(e.Error(), " ")
	switch code {
	case "TEAFORMAT":
		return newerFormat(rest)
	case "WRONGTYPE":
		return fmt.Errorf("%w: there are keys of another program", driver.ErrCorrupt)
	case "READONLY", "NOPERM":
		return driver.ErrReadOnly
	case "OOM":
		return driver.ErrFull
	case "MISCONF":
		if strings.Contains(rest, "No space left") {
			return driver.ErrFull
		}
		return driver.ErrUnavailable
	case "WRONGPASS", "NOAUTH":
		return fmt.Errorf("%w: user or password is wrong", driver.ErrConfig)
	case "MOVED", "ASK", "CROSSSLOT":
		return fmt.Errorf("%w: the server is part of a cluster: add %s=true", driver.ErrConfig, paramCluster)
	case "LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "NOREPLICAS", "UNKILLABLE":
		return driver.ErrUnavailable
	}
	return kindOfText(e.Error())
}

// kindOfText returns the kind of an error that has no code of its own.
func kindOfText(text string) error {
	for _, known := range []struct {
		part string
		kind error
	}{
		{"DB index is out of range", fmt.Errorf("%w: there is no such database", driver.ErrConfig)},
		{"without any password", fmt.Errorf("%w: the server wants no password", driver.ErrConfig)},
		{"max number of clients reached", driver.ErrUnavailable},
		{"can't run this command", driver.ErrReadOnly}, // said by a script
		{"user_script", driver.ErrCorrupt},             // that met a row which is none
	} {
		if strings.Contains(text, known.part) {
			return known.kind
		}
	}
	return nil
}

// broken tells that the server was not reached, or did not answer.
func broken(err error) bool {
	var n net.Error
	return errors.As(err, &n) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, redis.ErrPoolTimeout) ||
		errors.Is(err, redis.ErrPoolExhausted) || errors.Is(err, redis.ErrClosed)
}
