package bucketltm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/tea-agents/tea/internal/blob/object"
	"github.com/tea-agents/tea/ltm/driver"
)

// damaged tells whether a file from the bucket is one that nobody can read. One
// of another program, or of a newer version, is not damaged.
func damaged(err error) bool {
	return errors.Is(err, driver.ErrCorrupt) && !errors.Is(err, driver.ErrForeign)
}

// renew sets the damaged content of that mark aside and returns a version without
// content that the bucket holds in its place. It is nil where the bucket has
// changed meanwhile: another process may have been faster.
func (s *Store) renew(ctx context.Context, mark object.Mark, why error) (*version, error) {
	if !s.config.options.Disposable || s.config.readOnly {
		return nil, fmt.Errorf("%w; the object was left as it is: bring back a copy of it, or move it away to begin anew", why)
	}
	aside, err := s.copyAside(ctx, mark)
	var v *version
	if err == nil {
		v, err = s.beginAnew(ctx, mark)
	}
	switch {
	case errors.Is(err, object.ErrChanged), errors.Is(err, object.ErrMissing):
		return nil, nil //nolint:nilnil // there is something else to look at
	case errors.Is(err, object.ErrDenied), isFull(err):
		return nil, fmt.Errorf("%w; it cannot be set aside: %w", why, err)
	case err != nil:
		return nil, err
	}
	if s.config.options.Warn != nil {
		reason := strings.TrimPrefix(why.Error(), driver.ErrCorrupt.Error()+": ")
		s.config.options.Warn(fmt.Sprintf("%s is damaged (%s); it is set aside as %s and begun anew",
			nameOf(s.config.object), reason, nameOf(aside)))
	}
	return v, nil
}

// nameOf returns a URL as a warning shows it.
func nameOf(u *url.URL) string {
	short := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	return short.String()
}

// copyAside copies the content of that mark to an object that has a part of its
// checksum in its name: however many processes do so, there is one copy.
func (s *Store) copyAside(ctx context.Context, mark object.Mark) (aside *url.URL, err error) {
	whole, path, h := s.work.file(), s.work.file(), sha256.New()
	defer func() { err = errors.Join(err, ignoreMissing(os.Remove(whole)), ignoreMissing(os.Remove(path))) }()
	found, err := s.download(ctx, whole, "") // once more: CheckFile may have changed the first one
	switch {
	case err != nil:
		return nil, err
	case found != mark:
		return nil, object.ErrChanged
	}
	if err := copyFile(ctx, path, whole, h); err != nil {
		return nil, err
	}
	u := *s.config.object
	u.Path, u.RawPath = u.Path+".damaged-"+hex.EncodeToString(h.Sum(nil)[:8]), ""
	o, err := object.Open(ctx, &u, s.config.engine.Type)
	if err != nil {
		return nil, err
	}
	_, err = upload(ctx, o, path, "")
	if errors.Is(err, object.ErrChanged) { // it is there already
		err = nil
	}
	return &u, errors.Join(err, o.Close())
}

// beginAnew puts a file without content in the place of the content of that mark.
func (s *Store) beginAnew(ctx context.Context, mark object.Mark) (*version, error) {
	path := s.work.file()
	f, err := s.config.engine.OpenFile(ctx, path)
	if err != nil {
		return nil, err
	}
	err = errors.Join(f.Seal(ctx, s.writer, 0, s.config.size), f.Close())
	if err == nil {
		mark, err = upload(ctx, s.object, path, mark)
	}
	if err != nil {
		return nil, errors.Join(err, ignoreMissing(os.Remove(path)))
	}
	return &version{mark: mark, path: path}, nil
}
