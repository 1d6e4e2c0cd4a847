package cache

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tea-agents/tea/ltm"
	"github.com/tea-agents/tea/value"
)

// Failure is the error of a call that failed before, and whose failure is
// stored.
type Failure struct {
	Code    string // as Request.Code gave it
	Message string
}

// Error returns the message.
func (f *Failure) Error() string { return f.Message }

// The members of the value of a stored failure: those of a result that tells of
// one.
const (
	fieldSuccess   = "success"
	fieldError     = "error"
	fieldErrorType = "error_type"
)

// isFailure tells whether a stored entry is a failure.
func isFailure(e *ltm.Entry) bool { return e.Metadata.At(MetaType).Text() == TypeActionFailure }

// failureOf reads a stored failure.
func failureOf(e *ltm.Entry) *Failure {
	return &Failure{Code: e.Value.At(fieldErrorType).Text(), Message: e.Value.At(fieldError).Text()}
}

// remembers tells whether failures of that code are stored, and served.
func (p *Policy) remembers(code string) bool {
	switch code {
	case "", codeCanceled, codeInternal, codeReplayMiss, codeCredentialMissing:
		return false
	}
	return p.NegativeTTL > 0 && slices.Contains(p.NegativeCodes, code)
}

// storeFailure stores how a call failed, if the policy has it so, and tells
// whether it did. It never takes the place of a result that is there.
func (c *Cache) storeFailure(ctx context.Context, l *call, seen served, failed error, took time.Duration) bool {
	if !l.policy.Mode.stores() || ctx.Err() != nil || l.req.Code == nil {
		return false
	}
	code, message := l.failure(value.Null(), failed)
	if !l.policy.remembers(code) || seen.entry != nil && seen.outcome.Status != Expired {
		return false
	}
	v := value.Object(
		value.M(fieldSuccess, value.Bool(false)),
		value.M(fieldError, value.String(message)),
		value.M(fieldErrorType, value.String(code)),
	)
	data, err := v.Canonical()
	if err != nil || c.changed(ctx, l) != "" {
		return false
	}
	r := c.newRecord(l, v, len(data), took)
	r.kind, r.ttl, r.window = TypeActionFailure, l.policy.NegativeTTL, 0
	_, err = c.store(ctx, l, r, func(ctx context.Context, o *ltm.PutOptions) error {
		return c.shelf.putOver(ctx, l.id.key, v, o, seen.entry)
	})
	if err != nil && !errors.Is(err, errOvertaken) && !errors.Is(err, errLeaseLost) {
		c.warn(ctx, l.req.Warnings, err)
	}
	return err == nil
}
