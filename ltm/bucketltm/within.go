package bucketltm

import "context"

// within runs f and returns what it returns, or when ctx ends: a disk that is
// busy holds up f, but no call. What f got when nobody waits any more goes to
// late, unless that is nil.
func within[R any](ctx context.Context, f func() (R, error), late func(R)) (R, error) {
	type answer struct {
		r   R
		err error
	}
	got := make(chan answer)
	go func() {
		r, err := f()
		select {
		case got <- answer{r, err}:
		case <-ctx.Done():
			if err == nil && late != nil {
				late(r)
			}
		}
	}()
	select {
	case a := <-got:
		return a.r, a.err
	case <-ctx.Done():
		var none R
		return none, ctx.Err()
	}
}
