package blob_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tea-agents/tea/internal/blob"
)

const crowd = 16

// together runs f crowd times at once.
func together(f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range crowd {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}

func TestConcurrentFirstUseOpensOneBucket(t *testing.T) {
	t.Parallel()
	s := storage(t, nil)
	together(func(i int) {
		_, err := s.Write(t.Context(), fmt.Sprintf("mem://b/%d", i), strings.NewReader("x"), blob.WriteOptions{})
		if err != nil {
			t.Error(err)
		}
	})
	found, err := s.List(t.Context(), "mem://b", blob.ListOptions{})
	if err != nil || len(found.Entries) != crowd {
		t.Errorf("%d of %d files, %v", len(found.Entries), crowd, err)
	}
}

func testOneWinner(t *testing.T, p place) {
	t.Helper()
	var won atomic.Int64
	together(func(i int) {
		_, err := p.storage.Write(t.Context(), p.uri("one"), strings.NewReader(fmt.Sprint(i)), blob.WriteOptions{IfNotExist: true})
		if err == nil {
			won.Add(1)
		} else if !errors.Is(err, blob.ErrConflict) {
			t.Error(err)
		}
	})
	if won.Load() != 1 {
		t.Errorf("%d writers made the file", won.Load())
	}
}

func testWholeContent(t *testing.T, p place) {
	t.Helper()
	together(func(i int) { write(t, p, "same", strings.Repeat(string(rune('a'+i)), 10_000)) })
	got := read(t, p, "same")
	if len(got) != 10_000 || strings.Trim(got, got[:1]) != "" {
		t.Errorf("mixed content of %d bytes", len(got))
	}
}
