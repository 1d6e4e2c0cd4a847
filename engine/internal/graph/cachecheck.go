package graph

import (
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/ltm/cache"
	"github.com/tea-agents/tea/value"
)

const (
	codeCache = "cache"
	varyKey   = "vary"
)

// agentCacheKeys are the options that make sense for all calls at once. The
// mode is not among those that a node inherits: the run applies it to the nodes
// that choose none.
func agentCacheKeys() []string {
	return []string{"mode", "cache_enabled", "ttl", "ttl_days", "ttl_hours", "ttl_seconds", "namespace", "key_prefix", "version",
		"stale_while_revalidate", "stale_if_error", "negative_ttl", "negative_codes", "lock",
		"cleanup_probability", "cleanup_limit", "max_entry_bytes", "on_cache_error", "lookup_timeout"}
}

// agentCache checks settings.cache.
func (c *compiler) agentCache() {
	whole, err := schema.For[cache.WholeSettings]()
	if err != nil {
		c.malformed(err)
		return
	}
	options := c.agentCacheOptions(whole)
	written := value.Object()
	if options != nil {
		written = options.Value()
	}
	for _, p := range whole.Check(written, nil) {
		c.optionProblem(options, p)
	}
	if err := whole.Decode(written, &c.whole); err != nil && len(c.diags) == 0 {
		c.malformed(err)
	}
}

func (c *compiler) malformed(err error) {
	c.add(c.agent.Pos, 1, "internal", "the declaration of the cache's options is malformed: %s", err)
}

// agentCacheOptions checks the options for every call, and returns those for the
// whole cache; nil: there are none.
func (c *compiler) agentCacheOptions(whole *schema.Object) *spec.Data {
	if c.set.Cache == nil || c.set.Cache.IsNull() {
		c.set.Cache = nil
		return nil
	}
	if c.set.Cache = c.expand(c.set.Cache); c.set.Cache == nil {
		return nil
	}
	options, all := *c.set.Cache, *c.set.Cache
	options.Members, all.Members = nil, nil
	for _, m := range c.set.Cache.Members {
		key := m.Key.Value
		switch {
		case slices.Contains(whole.Names(), key):
			all.Members = append(all.Members, m)
		case slices.Contains(agentCacheKeys(), key):
			options.Members = append(options.Members, m)
		case strings.HasPrefix(key, "x-"):
		case slices.Contains(c.cache.Names(), key):
			c.at(m.Key, "unknown_key", "`%s` belongs to a single call", key).Hint = "put it under the node's `cache:`"
		default:
			c.at(m.Key, "unknown_key", "unknown key %q in `settings.cache`", key).Hint = diag.DidYouMean(key, append(agentCacheKeys(), whole.Names()...))
		}
	}
	for _, p := range c.cache.Check(options.Value(), dynamic) {
		c.optionProblem(&options, p)
	}
	_, problems := cache.Prepare(options.Value(), dynamic, nil)
	for _, p := range problems {
		c.optionProblem(&options, p)
	}
	return &all
}

// withDefaults puts what settings.cache says beneath the options of one call.
func (c *compiler) withDefaults(options *spec.Data, known func(key string) bool) *spec.Data {
	if c.set.Cache == nil || options == nil || !options.IsObject() {
		return options
	}
	merged := *options
	merged.Members = slices.Clone(options.Members)
	ttl := slices.ContainsFunc(options.Members, func(m spec.Member) bool { return isTTL(m.Key.Value) })
	for _, m := range c.set.Cache.Members {
		key := m.Key.Value
		own := options.Get(key) != nil || ttl && isTTL(key) || !known(key)
		if !own && key != "mode" && key != "cache_enabled" && slices.Contains(agentCacheKeys(), key) {
			merged.Members = append(merged.Members, m)
		}
	}
	return &merged
}

func isTTL(key string) bool { return key == "ttl" || strings.HasPrefix(key, "ttl_") }

// cachePlan compiles a node's `cache:`. a is the action that is called, which
// is named at named; args are the names of the arguments that the call may
// have, nil when they are not known.
func (c *compiler) cachePlan(m *spec.Member, a actions.Action, named spec.Text, args []string) *CachePlan {
	if c.cache == nil {
		return nil
	}
	options := c.expand(m.Value)
	if options == nil {
		return nil
	}
	options = c.withDefaults(options, func(key string) bool { _, known := c.cache.Field(key); return known })
	for _, p := range c.cache.Check(options.Value(), dynamic) {
		c.optionProblem(options, p)
	}
	c.checkEffect(options, a, named)
	plan := &CachePlan{Pos: m.Key.Pos, schema: c.cache, with: c.args(c.cache, options, scopeOf("cache"))}
	c.prepare(plan.with, options, args)
	if unless := options.Get("unless"); unless != nil && unless.IsText() {
		plan.unless = c.expr(unless.Text, scope{where: "unless", result: true})
	}
	return plan
}

// expand returns the options that `cache:` stands for; nil, after a complaint,
// when it stands for none.
func (c *compiler) expand(d *spec.Data) *spec.Data {
	long, err := cache.Expand(d.Value())
	if err != nil {
		c.add(d.Pos, d.Width(), codeCache, "cache: %s", err)
		return nil
	}
	if d.IsObject() {
		return d
	}
	options := &spec.Data{Pos: d.Pos, Kind: value.KindObject}
	for _, key := range long.Keys() {
		options.Members = append(options.Members, spec.Member{Key: spec.Text{Value: key, Pos: d.Pos}, Value: d})
	}
	return options
}

// optionProblem reports a problem of an option; where it is not given, at the
// strategy that asks for it.
func (c *compiler) optionProblem(options *spec.Data, p schema.Problem) {
	path := p.Path
	if len(path) > 0 && options.Get(path[0]) == nil {
		path = []string{"key_strategy"}
	}
	pos, width := options.Find(path, p.Key)
	c.add(pos, width, codeCache, "cache: %s", p.Message).Hint = p.Hint
}

// prepare completes the compiled options of a cached call, and reports what
// their schema alone does not find: contradictions, names of arguments that do
// not exist.
func (c *compiler) prepare(a *Args, options *spec.Data, args []string) {
	written := options.Value()
	full, problems := cache.Prepare(written, dynamic, args)
	for _, p := range problems {
		c.optionProblem(options, p)
	}
	for key, v := range full.Members() {
		if old, ok := written.Get(key); ok && value.Equal(old, v) {
			continue
		}
		tree := &Tree{static: v}
		if key == varyKey {
			tree = c.vary(options.Get(key), v)
		}
		a.put(key, tree)
	}
}

// vary compiles the values of that option. What became another text when it
// was completed is a path, and compiled as an expression where it stands.
func (c *compiler) vary(d *spec.Data, full value.Value) *Tree {
	t := &Tree{items: make([]*Tree, len(d.Items))}
	for i, item := range d.Items {
		if value.Equal(item.Value(), full.Index(i)) {
			t.items[i] = c.tree(item, scope{where: varyKey, hash: true})
			continue
		}
		t.items[i] = &Tree{expr: c.expr(item.Text, scopeOf(varyKey))}
	}
	return t
}
