package graph

import (
	"maps"
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/value"
)

const whereLLM = "settings.llm"

// agentLLM checks settings.llm, whose keys are parameters of the actions that
// ask a model.
func (c *compiler) agentLLM() {
	if c.set.LLM == nil {
		return
	}
	known := spec.ModelParameters(c.o.Registry)
	c.llm = &Args{}
	for _, m := range c.set.LLM.Members {
		key := m.Key.Value
		a, ok := known[key]
		switch {
		case strings.HasPrefix(key, "x-"):
			continue
		case ok:
			c.llmParameter(a, m)
		case spec.OfOneCall(key):
			c.at(m.Key, "unknown_key", "`%s` belongs to a single call", key).Hint = "put it under the node's `with:`"
		default:
			c.at(m.Key, "unknown_key", "unknown key %q in `settings.llm`", key).
				Hint = diag.DidYouMean(key, slices.Collect(maps.Keys(known)))
		}
		c.llm.fields = append(c.llm.fields, Field{Key: key, Value: c.tree(m.Value, scope{where: whereLLM, fixed: true})})
	}
}

// llmParameter checks one parameter against the declaration of an action.
func (c *compiler) llmParameter(a actions.Action, m spec.Member) {
	given := spec.Data{Pos: m.Key.Pos, Kind: value.KindObject, Members: []spec.Member{m}}
	for _, p := range a.Input().Check(given.Value(), dynamic) {
		if len(p.Path) == 0 || p.Path[0] != m.Key.Value {
			continue // what this call lacks others have
		}
		pos, width := given.Find(p.Path, p.Key)
		c.add(pos, width, "parameter", "settings.llm: %s", p.Message).Hint = p.Hint
	}
}

// llmGiven returns what settings.llm adds to the parameters of a call, so that
// none of that counts as missing.
func (c *compiler) llmGiven(a actions.Action, given value.Value) value.Value {
	added := value.Object()
	if c.set.LLM == nil || !a.Spec().Model || given.Kind() != value.KindObject {
		return added
	}
	for _, m := range c.set.LLM.Members {
		_, own := given.Get(m.Key.Value)
		_, declared := a.Input().Field(m.Key.Value)
		if declared && !own {
			added = added.With(m.Key.Value, m.Value.Value())
		}
	}
	return added
}
