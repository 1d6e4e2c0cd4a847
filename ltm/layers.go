package ltm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/ltm/driver"
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
	params := url.Values{}
	for _, name := range layerParams() {
		if all.Has(name) && !slices.Contains(own, name) {
			params[name] = all[name]
			all.Del(name)
		}
	}
	if len(params) == 0 {
		return u, nil, nil
	}
	inner := *u
	inner.RawQuery = all.Encode()
	l := &layers{far: Redact(&inner), now: o.Now, getenv: o.Getenv}
	if l.getenv == nil {
		l.getenv = os.LookupEnv
	}
	if err := x.readLayers(l, params, o); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	return &inner, l, nil
}

// readLayers reads the values of parameters; the error names all that is wrong.
func (x *Mux) readLayers(l *layers, params url.Values, o *Options) error {
	var errs []error
	read := func(name string, f func(text string) error) {
		if !params.Has(name) {
			return
		}
		if err := f(params.Get(name)); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	read(paramReadOnly, func(text string) (err error) { l.readOnly, err = truth(text); return err })
	read(paramNamespace, func(text string) error {
		l.namespace = text
		return cmp.Or(notEmpty(text), checkNamespace(text))
	})
	read(paramMemory, func(text string) (err error) { l.memory, err = byteSize(text); return err })
	read(paramEncrypt, func(text string) error { l.keys = text; return sealed.CheckNames(text) })
	read(paramSealMeta, func(text string) error {
		encrypted, err := truth(text)
		l.clearMeta = !encrypted
		return err
	})
	read(paramStaleness, func(text string) (err error) { l.staleness, err = staleness(text); return err })
	read(paramNear, func(text string) (err error) { l.near, _, err = x.store(text, o); return err })
	if params.Has(paramSealMeta) && !params.Has(paramEncrypt) {
		errs = append(errs, errors.New(paramSealMeta+" says nothing without "+paramEncrypt))
	}
	if params.Has(paramStaleness) && !params.Has(paramNear) && !params.Has(paramMemory) {
		errs = append(errs, fmt.Errorf("%s says nothing without %s or %s", paramStaleness, paramNear, paramMemory))
	}
	return errors.Join(errs...)
}

func notEmpty(text string) error {
	if text == "" {
		return errors.New("it is empty")
	}
	return nil
}

func truth(text string) (bool, error) {
	b, err := strconv.ParseBool(text)
	if err != nil {
		return false, fmt.Errorf("%q is not true or false", text)
	}
	return b, nil
}

func staleness(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%q is not a duration above 0 such as 5s", text)
	}
	return d, nil
}

// byteSize reads a number of bytes such as 64MiB.
func byteSize(text string) (int64, error) {
	digits := strings.TrimRight(text, "BKMGikmgb")
	n, err := strconv.ParseInt(digits, 10, 32)
	unit, ok := map[string]int64{
		"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
	}[text[len(digits):]]
	if err != nil || !ok || n <= 0 {
		return 0, fmt.Errorf("%q is not a size above 0 such as 64MiB", text)
	}
	return n * unit, nil
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
