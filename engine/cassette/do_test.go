package cassette

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestReplaySpeed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	res := says("ab")
	res.Chunks = []Chunk{{Bytes: []byte("a"), After: 100 * time.Millisecond}, {Bytes: []byte("b"), After: 300 * time.Millisecond}}
	record(t, path, Options{}, call(ask("a"), res))
	for speed, want := range map[float64]time.Duration{0: 0, 1: 300 * time.Millisecond, 4: 75 * time.Millisecond, 0.5: 600 * time.Millisecond} {
		var slept time.Duration
		s := begin(t, path, Options{Mode: Replay, ReplaySpeed: speed, Sleep: func(_ context.Context, d time.Duration) error { slept += d; return nil }})
		if _, err := s.Do(t.Context(), ask("a"), nil, nil); err != nil || slept != want {
			t.Errorf("speed %v: slept %v, want %v, %v", speed, slept, want, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	if _, err := begin(t, path, Options{Mode: Replay, ReplaySpeed: 1}).Do(ctx, ask("a"), nil, nil); !errors.Is(err, cause) {
		t.Errorf("%v", err)
	}
}

func TestDoKeepsFailuresAndNotErrors(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	s := begin(t, path, Options{Mode: Record})
	boom := errors.New("boom")
	live := func(res Response, err error) func(context.Context, func(Chunk)) (Response, error) {
		return func(context.Context, func(Chunk)) (Response, error) { return res, err }
	}
	failed := Response{Failure: &Failure{Code: "unavailable", Message: "busy", RetryAfter: 2 * time.Second}, Complete: true}
	if _, err := s.Do(t.Context(), ask("a"), nil, live(failed, boom)); !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
	if _, err := s.Do(t.Context(), ask("b"), nil, live(Response{}, boom)); !errors.Is(err, boom) {
		t.Errorf("%v", err)
	}
	finish(t, s, true)
	replayed := begin(t, path, Options{Mode: Replay})
	res, err := replayed.Do(t.Context(), ask("a"), nil, nil)
	if err != nil || res.Failure == nil || *res.Failure != *failed.Failure {
		t.Errorf("%+v, %v", res.Failure, err)
	}
	if _, err := replayed.Do(t.Context(), ask("b"), nil, nil); err == nil {
		t.Error("an error was recorded")
	}
}

func TestConcurrentCallersAreSafe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	const callers, rounds = 16, 8
	all := func(s *Session, live bool) {
		var wg sync.WaitGroup
		for i := range callers {
			wg.Go(func() {
				for j := range rounds {
					id := fmt.Sprint(i, ".", j)
					res, err := s.Do(t.Context(), askAs(id, fmt.Sprint(j)), nil, func(context.Context, func(Chunk)) (Response, error) {
						if !live {
							t.Error("a call was made")
						}
						return says(id), nil
					})
					if err != nil || res.Text != id {
						t.Errorf("%s: %q, %v", id, res.Text, err)
					}
				}
			})
		}
		wg.Wait()
		finish(t, s, true)
	}
	all(begin(t, path, Options{Mode: Record}), true)
	all(begin(t, path, Options{Mode: Replay}), false)
}
