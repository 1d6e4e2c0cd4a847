package redisltm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/tea-agents/tea/ltm/driver"
)

const keepAlive = 30 * time.Second

// Store is a driver.Store in Redis. It is also an Expirer, a FullText, a Reviser,
// a BatchGetter, a BatchPutter, a BatchDeleter, a Toucher and an Inspector. Make one
// with Open.
type Store struct {
	layout
	config  config
	client  redis.UniversalClient
	scripts scripts

	life context.Context // ends with Close
	end  context.CancelFunc

	mu     sync.Mutex
	closed bool
	calls  sync.WaitGroup // under way, also those that nobody waits for any more
}

// Opener returns what opens the store that u names. The error says all that is
// wrong with u itself.
func Opener(u *url.URL) (func(context.Context) (driver.Store, error), error) {
	c, err := parse(u)
	if err != nil {
		return nil, err
	}
	return c.open, nil
}

// Open opens the store that u names: see Opener.
func Open(ctx context.Context, u *url.URL) (driver.Store, error) {
	c, err := parse(u)
	if err != nil {
		return nil, err
	}
	return c.open(ctx)
}

func (c config) open(ctx context.Context) (driver.Store, error) {
	s := &Store{config: c, layout: layout{c.prefix}, scripts: loadScripts()}
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.connect(); err != nil {
		s.end()
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// connect makes the client, which connects when it is used. It never repeats a
// command by itself: one that puts on a condition must not happen twice.
func (s *Store) connect() error {
	redis.SetLogger(&logging.VoidLogger{}) // or it would write to the terminal what the errors say too
	secure, err := s.config.tlsConfig()
	if err != nil {
		return err
	}
	c := &s.config
	o := &redis.UniversalOptions{
		Addrs: []string{c.addr}, DB: c.db, Username: c.user, Password: c.password,
		Protocol: 2, TLSConfig: secure, Dialer: s.dialer(secure),
		MaxRetries: -1, DialerRetries: 1, ContextTimeoutEnabled: true,
		DialTimeout: c.dial, ReadTimeout: c.timeout, WriteTimeout: c.timeout, PoolTimeout: c.timeout,
		PoolSize: c.pool, DisableIdentity: true,
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	}
	if c.cluster {
		cluster := o.Cluster()
		cluster.MaxRetries = 0 // connections do not repeat; redirections are followed
		s.client = redis.NewClusterClient(cluster)
		return nil
	}
	s.client = redis.NewClient(o.Simple())
	return nil
}

// prepare makes sure that the store is one of ours, and usable.
func (s *Store) prepare(ctx context.Context) error {
	return s.do(ctx, func(ctx context.Context) error {
		if err := s.checkFormat(ctx); err != nil {
			return err
		}
		if err := s.checkEviction(ctx); err != nil || s.config.readOnly {
			return err
		}
		return s.run(ctx, s.scripts.init, driver.User, nil, nil).Err()
	})
}

func (s *Store) checkFormat(ctx context.Context) error {
	format, err := s.client.HGet(ctx, s.store(), "format").Int()
	switch {
	case errors.Is(err, redis.Nil):
		return nil
	case errors.Is(err, strconv.ErrSyntax):
		return fmt.Errorf("%w: its format is no number", driver.ErrCorrupt)
	case err != nil:
		return err
	case format > formatVersion:
		return newerFormat(format)
	}
	return nil
}

func newerFormat(format any) error {
	return fmt.Errorf("%w: it has format %v, this program knows up to %d", driver.ErrNewer, format, formatVersion)
}

// checkEviction refuses a server that forgets what it likes. Where it does not
// say it is believed.
func (s *Store) checkEviction(ctx context.Context) error {
	if s.config.eviction {
		return nil
	}
	facts, err := s.info(ctx, "memory")
	if err != nil {
		return err
	}
	if policy := facts["maxmemory_policy"]; facts["maxmemory"] != "0" && strings.HasPrefix(policy, "allkeys-") {
		return fmt.Errorf("%w: the server's maxmemory-policy is %s, so it may evict any key when its memory is full: "+
			"set volatile-ttl or noeviction, or accept it by %s=allow", driver.ErrConfig, policy, paramEviction)
	}
	return nil
}

// dialer returns what connects. It gives up when the store is closed.
func (s *Store) dialer(secure *tls.Config) func(ctx context.Context, network, addr string) (net.Conn, error) {
	plain := &net.Dialer{Timeout: s.config.dial, KeepAlive: keepAlive}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		ctx, cancel := s.whileOpen(ctx)
		defer cancel()
		if secure == nil {
			return plain.DialContext(ctx, network, addr)
		}
		return (&tls.Dialer{NetDialer: plain, Config: secure}).DialContext(ctx, network, addr)
	}
}

// whileOpen returns a context that ends with ctx or with the store.
func (s *Store) whileOpen(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// Close implements driver.Store. It ends calls under way and waits for that.
func (s *Store) Close() error {
	s.mu.Lock()
	was := s.closed
	s.closed = true
	s.mu.Unlock()
	if was {
		return nil
	}
	s.end()
	err := s.client.Close()
	s.calls.Wait()
	return err
}
