package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/ltm/driver"
)

// Export writes the entries of m's space to w. Of o, OnConflict and DryRun do
// not count. Entries that cannot be read are left out and counted.
func Export(ctx context.Context, m *ltm.Memory, w io.Writer, o *Options) (Result, error) {
	var res Result
	if !slices.Contains(Spaces(), m.Space()) {
		return res, fmt.Errorf("%w: the %s space is not for export", ltm.ErrInvalid, m.Space())
	}
	x, err := NewWriter(w, Header{Space: m.Space(), Source: m.URL(), At: m.Now()})
	if err != nil {
		return res, err
	}
	for f, err := range good(ctx, m, o, &res) {
		if err != nil {
			return res, err
		}
		if err := x.Write(&f.Entry); err != nil {
			return res, err
		}
		if o.Progress != nil {
			o.Progress(1)
		}
	}
	return res, x.Close()
}

// good walks over m and counts and leaves out what cannot be read.
func good(ctx context.Context, m *ltm.Memory, o *Options, res *Result) iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		for f, err := range Walk(ctx, m, Selection{Namespaces: o.Namespaces}) {
			switch {
			case err != nil:
			case f.Err != nil:
				res.Damaged++
				if o.Damaged != nil {
					o.Damaged(f)
				}
				continue
			default:
				res.Entries++
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

// Import stores the entries that r holds in the memory m, in the space of the
// export, which must be that of m. It can be done again: what is there already
// stays. An error, of type *Error where it is about the file, says why it ended
// early; what was stored before stays.
func Import(ctx context.Context, m *ltm.Memory, r io.Reader, o *Options) (Result, error) {
	var res Result
	in, err := NewReader(r)
	if err != nil {
		return res, err
	}
	if in.Header.Space != m.Space() {
		return res, fmt.Errorf("%w: it is an export of the %s space, not of the %s space",
			ltm.ErrInvalid, in.Header.Space, m.Space())
	}
	s := &sink{to: m, o: o, res: &res}
	for e, bad := range in.All() {
		if bad != nil { // what came before it is whole
			return res, errors.Join(bad, s.flush(ctx))
		}
		if o.Namespaces != nil && !slices.Contains(o.Namespaces, e.Namespace) {
			continue
		}
		res.Entries++
		if internal(m.Space(), &e) {
			return res, fmt.Errorf("%w: %q is no entry of the %s space", ErrDamaged, e.Key, m.Space())
		}
		if err := s.add(ctx, &e, int64(len(in.line))); err != nil {
			return res, err
		}
	}
	return res, s.flush(ctx)
}

// Check reads all of an export and returns its header and how many entries it
// holds. Without an error it is whole.
func Check(r io.Reader) (Header, int64, error) {
	in, err := NewReader(r)
	if err != nil {
		return Header{}, 0, err
	}
	var n int64
	for _, err := range in.All() {
		if err != nil {
			return in.Header, n, err
		}
		n++
	}
	return in.Header, n, nil
}

// Copy stores the entries of from's space in to, which must be a view of the
// same space. It can be done again: what is there already stays. In the end it
// looks whether every key of the source is at the destination, and returns how
// many are not: then one of them changed meanwhile.
func Copy(ctx context.Context, from, to *ltm.Memory, o *Options) (res Result, missing int64, err error) {
	if from.Space() != to.Space() || !slices.Contains(Spaces(), to.Space()) {
		return res, 0, fmt.Errorf("%w: the %s space cannot be copied to the %s space", ltm.ErrInvalid, from.Space(), to.Space())
	}
	s := &sink{to: to, o: o, res: &res}
	for f, err := range good(ctx, from, o, &res) {
		if err == nil {
			err = s.add(ctx, &f.Entry, f.Size)
		}
		if err != nil {
			return res, 0, err
		}
	}
	if err := s.flush(ctx); err != nil || o.DryRun {
		return res, 0, err
	}
	missing, err = lacking(ctx, from, to, o)
	return res, max(0, missing-res.Damaged), err
}

// lacking counts the keys of from that are not in to. Both are listed in the
// same order, so one pass over each tells.
func lacking(ctx context.Context, from, to *ltm.Memory, o *Options) (n int64, err error) {
	next, stop := iter.Pull2(keys(ctx, to, Selection{Namespaces: o.Namespaces, Internal: true}))
	defer stop()
	var there ltm.Entry
	more := true
	advance := func() {
		if there, err, more = next(); !more {
			err = nil
		}
	}
	advance()
	for want, failed := range keys(ctx, from, Selection{Namespaces: o.Namespaces}) {
		if failed != nil {
			return n, failed
		}
		for more && err == nil && keyOf(&there).Compare(keyOf(&want)) < 0 {
			advance()
		}
		if err != nil {
			return n, err
		}
		if !more || keyOf(&there) != keyOf(&want) {
			n++
		}
	}
	return n, nil
}

func keyOf(e *ltm.Entry) driver.Key { return driver.Key{Namespace: e.Namespace, Key: e.Key} }
