package chain

import (
	"context"
	"log/slog"
	"strings"

	"github.com/tea-agents/tea/engine/event"
)

// logHandler tells every record as an event of its call and passes it on.
type logHandler struct {
	observer Observer
	call     event.Call
	next     slog.Handler
	with     string // attributes so far, as text
}

// log returns the logger of one call: what it logs, less secrets, becomes
// an event, from level info on, and goes to next.
func (l *links) log(call event.Call, next slog.Handler) *slog.Logger {
	next = next.WithAttrs([]slog.Attr{slog.String("node", call.Node), slog.String("call", call.ID)})
	return slog.New(l.Scrubber.Handler(logHandler{observer: l.Observer, call: call, next: next}))
}

// Enabled implements slog.Handler.
func (h logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelInfo {
		var b strings.Builder
		b.WriteString(r.Message + h.with)
		r.Attrs(func(a slog.Attr) bool {
			b.WriteString(" " + a.String())
			return true
		})
		h.observer.Tell(event.Log{Call: h.call, Level: strings.ToLower(r.Level.String()), Message: b.String()})
	}
	if !h.next.Enabled(ctx, r.Level) {
		return nil
	}
	return h.next.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	h.next = h.next.WithAttrs(attrs)
	for _, a := range attrs {
		h.with += " " + a.String()
	}
	return h
}

// WithGroup implements slog.Handler.
func (h logHandler) WithGroup(name string) slog.Handler {
	h.next = h.next.WithGroup(name)
	return h
}
