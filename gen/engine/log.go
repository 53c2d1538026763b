package engine

import (
	"context"
	"log/slog"
)

// Log returns an Observer that writes to a logger (slog.Default where it is nil): that a
// call gave up as a warning, that a retry is scheduled or a call is tried once as
// information, the attempts for debugging. Texts hold no query of a URL and no body.
func Log(to *slog.Logger) Observer { return logger{to} }

type logger struct{ to *slog.Logger }

func (l logger) Observe(ctx context.Context, e Event) {
	to := l.to
	if to == nil {
		to = slog.Default()
	}
	level := slog.LevelDebug
	switch e.Kind {
	case GaveUpCall:
		level = slog.LevelWarn
	case RetryScheduled, TriedOnce:
		level = slog.LevelInfo
	}
	if !to.Enabled(ctx, level) {
		return
	}
	var room [9]slog.Attr
	attrs := room[:0]
	add := func(set bool, a slog.Attr) {
		if set {
			attrs = append(attrs, a)
		}
	}
	add(e.Set != "", slog.String("set", e.Set))
	add(e.Class != "", slog.String("class", e.Class))
	add(e.Attempt > 0, slog.Int("attempt", e.Attempt))
	add(e.Condition != "", slog.String("condition", e.Condition))
	add(e.Kind == RetryScheduled, slog.Duration("wait", e.Wait))
	add(e.Reason != "", slog.String("reason", string(e.Reason)))
	add(e.Limit != "", slog.String("limit", string(e.Limit)))
	add(e.MaybeApplied, slog.Bool("maybe_applied", true))
	if e.Err != nil {
		attrs = append(attrs, slog.String("error", withoutQuery(e.Err)))
	}
	to.LogAttrs(ctx, level, e.Kind.String(), attrs...)
}
