package graph

import (
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
)

// callOf is a call whose result is cached.
type callOf struct {
	action actions.Action
	args   *spec.Data // nil: none, or not known before the run
	open   bool       // args may hold more than is written
	at     spec.Text  // where the action is named
}

// wrapped checks the call inside a cache.wrap, and the options beside it.
func (c *compiler) wrapped(with *spec.Data) {
	inner := callOf{args: with.Get("args"), open: true}
	name := with.Get("action")
	if name == nil || !name.IsText() || dynamic(name.Text.Value) {
		c.checkCache(with, inner)
		return
	}
	inner.at = name.Text
	a, ok := c.action(name.Text)
	if !ok {
		return
	}
	inner.action, inner.open = a, false
	switch {
	case inner.args == nil: // reported already
	case inner.args.IsObject():
		c.checkArgs(a, inner.args, name.Text)
	default: // a template, or an error that is reported already
		inner.args, inner.open = nil, true
	}
	c.checkEffect(with, inner)
	c.checkCache(with, inner)
}

// checkEffect warns of caching what is done for its effect.
func (c *compiler) checkEffect(options *spec.Data, call callOf) {
	s := call.action.Spec()
	if s.Effect != actions.Write {
		return
	}
	if force := options.Get("force"); force != nil {
		if on, _ := force.Scalar.AsBool(); on {
			return
		}
	}
	c.warn(call.at, "cached_write", "%s changes something outside, and when its result is cached it does so only the first time", s.Name).
		Hint = "write `force: true` if that is meant"
}

// argNames checks the options that name arguments of the cached call.
func (c *compiler) argNames(options *spec.Data, call callOf) {
	if call.open {
		return
	}
	strategy := ""
	if d := options.Get("key_strategy"); d != nil {
		strategy = d.Text.Value
	}
	switch source := options.Get("key_source"); {
	case source != nil && source.IsText() && !dynamic(source.Text.Value) && !isValue(options):
		c.argName(source, call, "key_source", strategy == "file_content")
	case source == nil && strategy == "file_content" && !given(call, "file"):
		d := options.Get("key_strategy")
		c.at(d.Text, codeCache, "the strategy file_content needs the argument that holds the path").
			Hint = strings.TrimSuffix("name it with `key_source`; "+diag.DidYouMean("", argsOf(call)), "; ")
	}
	for _, key := range []string{"key_args", "ignore_args"} {
		list := options.Get(key)
		if list == nil {
			continue
		}
		for _, item := range list.Items {
			if item.IsText() && !dynamic(item.Text.Value) {
				c.argName(item, call, key, false)
			}
		}
	}
}

// isValue tells whether key_source is said to be a value.
func isValue(options *spec.Data) bool {
	d := options.Get("key_source_is")
	return d != nil && d.Text.Value == "value"
}

// argName checks one name of an argument. A declared parameter will do where
// its default can stand in.
func (c *compiler) argName(d *spec.Data, call callOf, option string, needed bool) {
	name := d.Text.Value
	_, declared := call.action.Input().Field(name)
	if given(call, name) || declared && !needed {
		return
	}
	known := argsOf(call)
	if !needed {
		known = append(known, call.action.Input().Names()...)
	}
	slices.Sort(known)
	hint := diag.DidYouMean(name, slices.Compact(known))
	c.at(d.Text, codeCache, "%s names the argument %q, which is not among the arguments of %s", option, name, call.action.Spec().Name).
		Hint = hint
}

func given(call callOf, name string) bool { return slices.Contains(argsOf(call), name) }

func argsOf(call callOf) []string {
	if call.args == nil {
		return nil
	}
	names := make([]string, len(call.args.Members))
	for i, m := range call.args.Members {
		names[i] = m.Key.Value
	}
	return names
}
