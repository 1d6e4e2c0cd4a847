package bucketltm

import (
	"context"
	"net/url"
	"strings"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
)

// Engine is a kind of file that a store can be in.
type Engine struct {
	Prefix string // of the schemes, with the plus sign, as in "blob-sqlite+"
	Type   string // the content type of the object
	// OpenFile opens the local file at path, or makes one where there is none. It
	// has no other users, and need not outlive a power cut: what counts is in
	// the bucket. Files beside it begin with its name and go with Close.
	OpenFile func(ctx context.Context, path string) (File, error)
	// CheckFile looks whether a file from outside is whole before it is opened,
	// and may change it into what OpenFile expects. It fails with driver.ErrCorrupt or
	// driver.ErrNewer, as OpenFile does. What is whole, but of another program, is
	// driver.ErrForeign.
	CheckFile func(ctx context.Context, path string) error
}

// Options are the choices of Engine.Opener. A nil *Options is all defaults.
type Options struct {
	// Disposable says that the object holds nothing that cannot be made again,
	// such as a cache. When it is damaged it is copied to another name beside it
	// and begun anew; Warn, if not nil, is told so once. Without it a damaged
	// object is left as it is, and is an error.
	Disposable bool
	Warn       func(text string)
}

// File is a store in an open local file. Its optional abilities are those of the
// store in the bucket. What is not part of driver.Store is called by one
// goroutine at a time, while no call that changes something is under way.
type File interface {
	driver.Store
	// Changed tells whether the content is another one than when the file was
	// opened or sealed, Touch included.
	Changed(ctx context.Context) (bool, error)
	// Seal notes in the file, where Signed finds it, that this is a writer's
	// push of that number, with the same of the last writers before it (some
	// hundred will do), and sees to it that a copy of the file at its path is
	// the whole store. The file stays open. One of more than most bytes gives up
	// what room it does not need.
	Seal(ctx context.Context, writer string, push, most int64) error
	// Signed returns the number of a writer's last push that the file notes,
	// 0 where it notes none.
	Signed(ctx context.Context, writer string) (int64, error)
}

// Schemes returns the schemes that a URL may have, sorted.
func (e *Engine) Schemes() []string {
	schemes := object.Schemes()
	for i, s := range schemes {
		schemes[i] = e.Prefix + s
	}
	return schemes
}

// Params returns the names of the parameters that a URL of a scheme may have.
func (e *Engine) Params(scheme string) []string {
	return append(ownParams(), object.Params(strings.TrimPrefix(scheme, e.Prefix))...)
}

// Opener returns what opens the store that u names. The error says all that is
// wrong with u itself.
func (e *Engine) Opener(u *url.URL, o *Options) (func(context.Context) (driver.Store, error), error) {
	c, err := parse(e, u)
	if err != nil {
		return nil, err
	}
	if o != nil {
		c.options = *o
	}
	return func(ctx context.Context) (driver.Store, error) {
		return within(ctx, func() (driver.Store, error) {
			o, err := object.Open(ctx, c.object, e.Type)
			if err != nil {
				return nil, fail(err)
			}
			return open(ctx, c, o, realClock())
		}, func(s driver.Store) { _ = s.Close() })
	}, nil
}

// Open opens the store that u names: see Opener.
func (e *Engine) Open(ctx context.Context, u *url.URL) (driver.Store, error) {
	open, err := e.Opener(u, nil)
	if err != nil {
		return nil, err
	}
	return open(ctx)
}
