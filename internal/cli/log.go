package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
)

// logHandler writes log records for people, a line each:
//
//	tea: warning: the store does not answer (err=…)
//
// It leaves out what the calls of a run log: that comes as events, in the order
// of everything else.
type logHandler struct {
	mu    *sync.Mutex
	w     io.Writer
	level slog.Level
	attrs []slog.Attr
	calls bool // the records are those of a call
}

func newLogHandler(w io.Writer, level slog.Level) *logHandler {
	return &logHandler{mu: &sync.Mutex{}, w: w, level: level}
}

// Enabled implements slog.Handler.
func (h *logHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level && !h.calls }

// Handle implements slog.Handler.
func (h *logHandler) Handle(_ context.Context, r slog.Record) error {
	var details []string
	add := func(a slog.Attr) bool {
		if !a.Equal(slog.Attr{}) {
			details = append(details, a.String())
		}
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	line := "tea: " + levelName(r.Level) + r.Message
	if len(details) > 0 {
		line += " (" + strings.Join(details, ", ") + ")"
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := fmt.Fprintln(h.w, line)
	return err
}

// WithAttrs implements slog.Handler.
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	with.calls = h.calls || slices.ContainsFunc(attrs, func(a slog.Attr) bool { return a.Key == "call" })
	with.attrs = append(append([]slog.Attr(nil), h.attrs...), attrs...)
	return &with
}

// WithGroup implements slog.Handler. Lines for people need no groups.
func (h *logHandler) WithGroup(string) slog.Handler { return h }

func levelName(l slog.Level) string {
	switch {
	case l >= slog.LevelError:
		return "error: "
	case l >= slog.LevelWarn:
		return "warning: "
	case l >= slog.LevelInfo:
		return ""
	default:
		return "debug: "
	}
}
