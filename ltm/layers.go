package ltm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/ltm/driver/params"
	"github.com/tea-agents/tea/ltm/memtier"
	"github.com/tea-agents/tea/ltm/namespaced"
	"github.com/tea-agents/tea/ltm/readonly"
	"github.com/tea-agents/tea/ltm/sealed"
	"github.com/tea-agents/tea/ltm/tiered"
)

// The parameters that the URL of every store may have, unless its scheme has
// one of that name. Each puts a layer on the store.
const (
	paramReadOnly  = "readonly"
	paramNamespace = "namespace"
	paramMemory    = "memory"
	paramEncrypt   = "encrypt"
	paramSealMeta  = "encrypt_metadata"
	paramNear      = "near"
	paramStaleness = "max_staleness"

	maxMemory    = 1 << 40
	maxStaleness = 365 * 24 * time.Hour
)

// layerParams returns them all, sorted.
func layerParams() []string {
	return []string{paramEncrypt, paramSealMeta, paramStaleness, paramMemory, paramNamespace, paramNear, paramReadOnly}
}

// storeOpener opens a store.
type storeOpener = func(context.Context) (driver.Store, error)

// layers are what a URL asks for besides the store itself. From the inside out:
// reading only; the near store, which holds what the far one does; the namespace;
// encryption, so that near and far hold it encrypted; memory.
type layers struct {
	far       string // the URL of the store itself, without credentials
	near      storeOpener
	keys      string // where the encryption keys are
	clearMeta bool
	memory    int64
	namespace string
	readOnly  bool
	staleness time.Duration
	now       func() time.Time
	getenv    func(string) (string, bool)
}

// split takes the parameters of layers out of u, except those that the scheme
// has itself, and reads them.
func (x *Mux) split(u *url.URL, own []string, o *Options) (*url.URL, *layers, error) {
	all := u.Query()
	mine := url.Values{}
	for _, name := range layerParams() {
		if all.Has(name) && !slices.Contains(own, name) {
			mine[name] = all[name]
			all.Del(name)
		}
	}
	if len(mine) == 0 {
		return u, nil, nil
	}
	inner, outer := *u, *u
	inner.RawQuery, outer.RawQuery = all.Encode(), mine.Encode()
	l := &layers{far: Redact(&inner), now: o.Now, getenv: o.Getenv}
	if l.getenv == nil {
		l.getenv = os.LookupEnv
	}
	if err := x.readLayers(l, &outer, o); err != nil {
		return nil, nil, err
	}
	return &inner, l, nil
}

// readLayers reads the parameters of u; the error names all that is wrong.
func (x *Mux) readLayers(l *layers, u *url.URL, o *Options) error {
	p := params.Read(u)
	q := u.Query()
	p.Bool(paramReadOnly, &l.readOnly)
	if l.namespace = q.Get(paramNamespace); q.Has(paramNamespace) && l.namespace == "" {
		p.Check(errors.New(paramNamespace + " is empty"))
	}
	p.Check(checkNamespace(l.namespace))
	p.Size(paramMemory, &l.memory, maxMemory)
	if l.keys = q.Get(paramEncrypt); q.Has(paramEncrypt) {
		p.Check(named(paramEncrypt, sealed.CheckNames(l.keys)))
	}
	encrypted := true
	p.Bool(paramSealMeta, &encrypted)
	l.clearMeta = !encrypted
	p.Duration(paramStaleness, &l.staleness, params.Bounds{Least: time.Millisecond, Most: maxStaleness})
	if q.Has(paramNear) {
		beside := *o
		beside.Existing = false
		near, _, err := x.store(q.Get(paramNear), &beside)
		l.near = near
		p.Check(named(paramNear, err))
	}
	if q.Has(paramSealMeta) && !q.Has(paramEncrypt) {
		p.Check(errors.New(paramSealMeta + " says nothing without " + paramEncrypt))
	}
	if q.Has(paramStaleness) && !q.Has(paramNear) && !q.Has(paramMemory) {
		p.Check(fmt.Errorf("%s says nothing without %s or %s", paramStaleness, paramNear, paramMemory))
	}
	return p.Err()
}

func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}

// on returns what opens the store with the layers on it.
func (l *layers) on(open storeOpener) storeOpener {
	return func(ctx context.Context) (driver.Store, error) {
		var keys []sealed.Key
		var err error
		if l.keys != "" {
			if keys, err = sealed.ReadKeys(l.keys, l.getenv); err != nil {
				return nil, err
			}
		}
		s, err := open(ctx)
		if err != nil {
			return nil, err
		}
		return l.wrap(ctx, s, keys)
	}
}

func (l *layers) wrap(ctx context.Context, s driver.Store, keys []sealed.Key) (driver.Store, error) {
	if l.readOnly { // also for what the other layers would note
		s = readonly.New(s)
	}
	if l.near != nil {
		name := sha256.Sum256([]byte(l.far))
		s = tiered.New(newLate(l.near, l.now), s, &tiered.Options{
			Name: hex.EncodeToString(name[:6]), MaxStaleness: l.staleness, Now: l.now,
		})
	}
	if l.namespace != "" {
		s = namespaced.New(s, l.namespace)
	}
	if keys != nil { // each part may have a key of its own
		encrypted, err := sealed.New(ctx, s, keys, &sealed.Options{ClearMetadata: l.clearMeta, Part: l.namespace})
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s = encrypted
	}
	if l.memory > 0 {
		s = memtier.New(s, &memtier.Options{MaxBytes: l.memory, MaxStaleness: l.staleness, Now: l.now})
	}
	return s, nil
}
