package graph

import (
	"errors"
	"regexp"
	"slices"
	"strings"

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
// mode is not among those that a node inherits: it bounds what nodes may do.
func agentCacheKeys() []string {
	return []string{"mode", "cache_enabled", "ttl", "ttl_days", "ttl_hours", "ttl_seconds", "namespace", "key_prefix", "version",
		"cleanup_probability", "cleanup_limit", "max_entry_bytes", "on_cache_error", "lookup_timeout", "max_bytes"}
}

// agentCache checks settings.cache.
func (c *compiler) agentCache() {
	if c.set.Cache == nil {
		return
	}
	options := *c.set.Cache
	options.Members = nil
	for _, m := range c.set.Cache.Members {
		key := m.Key.Value
		switch {
		case key == "max_bytes":
			if n, ok := m.Value.Scalar.AsInt(); !ok || n < 1 {
				c.at(m.Value.Text, codeCache, "`max_bytes` must be a whole number above 0")
			}
		case slices.Contains(agentCacheKeys(), key):
			options.Members = append(options.Members, m)
		case strings.HasPrefix(key, "x-"):
		case slices.Contains(c.cache.Names(), key):
			c.at(m.Key, "unknown_key", "`%s` belongs to a single call", key).Hint = "put it under the node's `cache:`"
		default:
			c.at(m.Key, "unknown_key", "unknown key %q in `settings.cache`", key).Hint = diag.DidYouMean(key, agentCacheKeys())
		}
	}
	for _, p := range c.cache.Check(options.Value(), nil) {
		c.optionProblem(&options, p)
	}
	c.settingsProblems(&options)
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

// cachePlan compiles a node's `cache:`; nil when it says not to cache.
func (c *compiler) cachePlan(m *spec.Member, call callOf) *CachePlan {
	if c.cache == nil {
		return nil
	}
	options := spec.CacheShort(m.Value)
	if options == nil {
		c.at(m.Key, "wrong_type", "`cache` must be true, a duration, a mode, or a map of options")
		return nil
	}
	options = c.withDefaults(options, func(key string) bool { _, known := c.cache.Field(key); return known })
	for _, p := range c.cache.Check(options.Value(), dynamic) {
		c.optionProblem(options, p)
	}
	c.checkEffect(options, call)
	c.checkCache(options, call)
	plan := &CachePlan{Pos: m.Key.Pos, schema: c.cache, with: c.args(c.cache, options, scopeOf("cache"))}
	c.sourceIs(plan.with, options)
	if unless := options.Get("unless"); unless != nil && unless.IsText() {
		// args has compiled it before, so it has been complained about already
		plan.unless = c.quietly(func() *Expr { return c.expr(unless.Text, scope{where: "unless", result: true}) })
	}
	return plan
}

// quietly compiles again what has been complained about.
func (c *compiler) quietly(compile func() *Expr) *Expr {
	before := len(c.diags)
	e := compile()
	c.diags = c.diags[:before]
	return e
}

func (c *compiler) optionProblem(options *spec.Data, p schema.Problem) {
	pos, width := options.Find(p.Path, p.Key)
	c.add(pos, width, codeCache, "cache: %s", p.Message).Hint = p.Hint
}

// checkCache finds the mistakes in cache options that the schema alone does
// not: contradictions, names of arguments that do not exist.
func (c *compiler) checkCache(options *spec.Data, call callOf) {
	if c.cache == nil {
		return
	}
	c.settingsProblems(options)
	if call.action.Input() != nil {
		c.argNames(options, call)
	}
}

// settingsProblems decodes the options as far as they are static, and reports
// what is wrong with them together.
func (c *compiler) settingsProblems(options *spec.Data) {
	static := value.Object()
	for _, m := range options.Members {
		f, known := c.cache.Field(m.Key.Value)
		if known && (f.Mode != schema.ModeTemplate || !hasTemplate(m.Value)) {
			static = static.With(m.Key.Value, m.Value.Value())
		}
	}
	if source, ok := static.Get("key_source"); ok && dynamic(source.Text()) && static.At("key_source_is").IsNull() {
		static = static.With("key_source", value.Int(0)) // it renders to a value, not to a name
	}
	var s cache.Settings
	if err := c.cache.Decode(static, &s); err != nil {
		if _, ok := errors.AsType[schema.Problems](err); ok {
			return // reported by the check of the whole
		}
	}
	_, problems := s.Policy()
	for _, p := range problems {
		c.optionProblem(options, p)
	}
}

func hasTemplate(d *spec.Data) bool {
	return d.IsText() && dynamic(d.Text.Value) || slices.ContainsFunc(d.Items, hasTemplate) ||
		slices.ContainsFunc(d.Members, func(m spec.Member) bool { return hasTemplate(m.Value) })
}

// sourceIs tells the cache that key_source is a value when it was written as a
// template: rendered, it could not be told from the name of an argument.
func (c *compiler) sourceIs(a *Args, options *spec.Data) {
	source, strategy := options.Get("key_source"), options.Get("key_strategy")
	switch {
	case source == nil || !hasTemplate(source) || options.Get("key_source_is") != nil:
	case strategy != nil && strategy.Text.Value == string(cache.ByFile):
	default:
		a.fields = append(a.fields, Field{Key: "key_source_is", Value: &Tree{static: value.String("value")}})
	}
}

// vary compiles values that take part in a key. A path such as state.tenant is
// an expression; other text is a template, or itself.
func (c *compiler) vary(d *spec.Data, in scope) *Tree {
	if !d.IsList() || len(d.Items) == 0 {
		return c.tree(d, in)
	}
	path := regexp.MustCompile(`^(state|variables|settings|env)(\.\w+|\[[^\]]+\])+$`)
	t := &Tree{}
	for _, item := range d.Items {
		if item.IsText() && path.MatchString(item.Text.Value) {
			t.items = append(t.items, &Tree{expr: c.expr(item.Text, in)})
			continue
		}
		t.items = append(t.items, c.tree(item, in))
	}
	return t
}
