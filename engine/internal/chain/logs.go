package chain

import (
	"context"
	"fmt"
	"log/slog"
)

// Handler returns a slog handler that hands records to h without secrets.
func (s *Scrubber) Handler(h slog.Handler) slog.Handler { return scrubbedLog{s, h} }

type scrubbedLog struct {
	scrubber *Scrubber
	next     slog.Handler
}

// Enabled implements slog.Handler.
func (l scrubbedLog) Enabled(ctx context.Context, level slog.Level) bool {
	return l.next.Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (l scrubbedLog) Handle(ctx context.Context, r slog.Record) error {
	out := slog.NewRecord(r.Time, r.Level, l.scrubber.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(l.attr(a))
		return true
	})
	return l.next.Handle(ctx, out)
}

// WithAttrs implements slog.Handler.
func (l scrubbedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		out[i] = l.attr(a)
	}
	return scrubbedLog{l.scrubber, l.next.WithAttrs(out)}
}

// WithGroup implements slog.Handler.
func (l scrubbedLog) WithGroup(name string) slog.Handler {
	return scrubbedLog{l.scrubber, l.next.WithGroup(name)}
}

// attr returns a without secrets. What is neither text nor a group keeps its
// type unless its text has a secret in it.
func (l scrubbedLog) attr(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		var inner []slog.Attr
		for _, member := range v.Group() {
			inner = append(inner, l.attr(member))
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(inner...)}
	case slog.KindString:
		return slog.String(a.Key, l.scrubber.Text(v.String()))
	case slog.KindAny:
		text := fmt.Sprintf("%+v", v.Any())
		if clean := l.scrubber.Text(text); clean != text {
			return slog.String(a.Key, clean)
		}
	}
	return slog.Attr{Key: a.Key, Value: v}
}
