package graph

import (
	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/spec"
)

// wrapped checks the call inside a cache.wrap. It returns the names of the
// arguments that the call may have; nil when they are not known.
func (c *compiler) wrapped(with *spec.Data) []string {
	name := with.Get("action")
	if name == nil || !name.IsText() || dynamic(name.Text.Value) {
		return nil
	}
	a, ok := c.action(name.Text)
	if !ok {
		return nil
	}
	if args := with.Get("args"); args != nil && args.IsObject() {
		c.checkArgs(a, args, name.Text)
	}
	c.checkEffect(with, a, name.Text)
	return a.Input().Names()
}

// checkEffect warns of caching what is done for its effect.
func (c *compiler) checkEffect(options *spec.Data, a actions.Action, named spec.Text) {
	s := a.Spec()
	if s.Effect != actions.Write {
		return
	}
	if force := options.Get("force"); force != nil {
		if on, _ := force.Scalar.AsBool(); on {
			return
		}
	}
	c.warn(named, "cached_write", "%s changes something outside, and when its result is cached it does so only the first time", s.Name).
		Hint = "write `force: true` if that is meant"
}
