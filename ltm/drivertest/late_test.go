package drivertest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tea-agents/tea/ltm/drivertest"
)

func TestLateIsWhatACallTakesAfterItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for takes, want := range map[time.Duration]time.Duration{
			time.Millisecond: 0, time.Second: 0, 3 * time.Second: 2 * time.Second,
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			wrong := errors.New("wrong")
			late, err := drivertest.Late(ctx, func(context.Context) error {
				time.Sleep(takes)
				return wrong
			})
			cancel()
			if late != want || !errors.Is(err, wrong) {
				t.Errorf("a call of %v is late by %v, %v", takes, late, err)
			}
		}
	})
}
