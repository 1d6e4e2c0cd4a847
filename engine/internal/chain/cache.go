package chain

import (
	"context"
	"errors"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

// Cache serves and stores the results of calls: *cache.Cache.
type Cache interface {
	Do(ctx context.Context, req cache.Request, p cache.Policy,
		run func(ctx context.Context) (value.Value, error)) (value.Value, cache.Outcome, error)
}

// Files tells a file's current stamp, which changes when the file does:
// *blob.Storage behind a function.
type Files func(ctx context.Context, uri string) (stamp string, err error)

// cached serves calls that have a cache policy.
func (l *links) cached(next actions.Handler) actions.Handler {
	return func(ctx context.Context, call *actions.Call) (actions.Result, error) {
		if l.Cache == nil || call.Policy.Cache == nil {
			return next(ctx, call)
		}
		if l.bypass != "" {
			r, err := next(ctx, call)
			r.Meta.Cache = l.bypassed(call)
			return r, err
		}
		policy := l.Modes.cap(*call.Policy.Cache)
		policy.Key = l.Scrubber.hideKey(policy.Key)
		var meta actions.Meta // of the call if it ran here, and only then
		out, outcome, err := l.Cache.Do(ctx, l.request(call), policy,
			func(ctx context.Context) (value.Value, error) {
				if cache.InBackground(ctx) {
					return unseen(ctx, next, call)
				}
				r, err := next(ctx, call)
				if err == nil {
					meta = r.Meta
				}
				return r.Output, err
			})
		if err != nil {
			return actions.Result{Output: out, Meta: actions.Meta{Cache: &outcome}}, failure(err)
		}
		meta.Cache = &outcome
		return actions.Result{Output: out, Meta: meta}, nil
	}
}

// unseen runs a call that refreshes a stale result: its caller has left.
func unseen(ctx context.Context, next actions.Handler, call *actions.Call) (value.Value, error) {
	alone := *call
	alone.Sink = nil
	r, err := next(ctx, &alone)
	return r.Output, err
}

// failure gives errors of the cache the codes that they have as errors of the
// action: a stored failure that of its call.
func failure(err error) error {
	if stored, ok := errors.AsType[*cache.Failure](err); ok {
		return &actions.Error{Code: actions.Code(stored.Code), Message: stored.Message, Err: stored}
	}
	if errors.Is(err, cache.ErrLock) {
		return &actions.Error{Code: actions.CodeUnsupported, Err: err}
	}
	return err
}

// request describes a call to the cache. What a run block hands on is text:
// the secrets in it become references again, so that a key is made of them as
// of any other secret, and nothing that is stored shows them.
func (l *links) request(call *actions.Call) cache.Request {
	req := cache.Request{
		Action: call.Action, Args: call.Input, Namespace: l.Env.Namespace, AgentID: l.Env.AgentID,
		Secret:   l.Scrubber.Texts(l.Scrubber.Lookup(l.Env.Secrets)),
		Warnings: l.warnings, Quota: l.Quota,
		Code: func(err error) string { return string(actions.CodeOf(err)) },
	}
	if a, ok := l.Env.Registry.Lookup(call.Action); ok {
		req.Version = a.Spec().Version
		req.Args = a.Input().Normalize(call.Input)
	}
	req.Args = l.Scrubber.Hide(req.Args)
	if l.Files != nil {
		hasher := NewHasher(l.inner, call.Node, call.ID+"/key")
		req.StatFile = l.Files
		req.HashFile = func(ctx context.Context, uri string) (cache.FileHash, error) {
			stamp, err := l.Files(ctx, uri)
			if err != nil {
				return cache.FileHash{}, err
			}
			hash, size, err := hasher.hash(ctx, uri)
			return cache.FileHash{Hash: hash, Size: size, Stamp: stamp}, err
		}
	}
	return req
}
