package spec

import "github.com/tea-agents/tea/internal/diag"

// OnError says what follows when a node fails.
type OnError struct {
	Pos    diag.Pos
	Goto   *Text    // the node to go on with; nil: as after a success
	Set    []Member // state keys with templates
	Result bool     // the failure becomes the node's result
}

// onError reads `result`, or {goto, set, result}, or upstream's {mode, fallback}.
func (p *parser) onError(m *Member) *OnError {
	if m == nil {
		return nil
	}
	d := m.Value
	e := &OnError{Pos: m.Key.Pos}
	if d.IsText() {
		return p.errorMode(e, d)
	}
	d = p.object(d, onErrorShape())
	e.Result = p.bool(d.Get("result"), "`result`")
	if set := p.mapping(d.Get("set"), "`set`"); set != nil {
		e.Set = set.Members
	}
	p.errorTarget(e, d)
	if mode := d.Get("mode"); mode != nil {
		return p.errorMode(e, mode)
	}
	if m.Value.IsObject() && e.Goto == nil && len(e.Set) == 0 && !e.Result {
		p.atKey(m, "no_effect", "`on_error` says nothing that could be done").Hint = "give it goto, set or result"
	}
	return e
}

func (p *parser) errorTarget(e *OnError, d *Data) {
	target, fallback := d.member("goto"), d.member("fallback")
	if target != nil && fallback != nil {
		p.atKey(fallback, "two_targets", "`fallback` is another word for `goto`, and there are both")
	}
	if target == nil {
		target = fallback
	}
	if target == nil {
		return
	}
	if name := p.name(target.Value, "`"+target.Key.Value+"`"); !name.IsZero() {
		e.Goto = &name
	}
}

// errorMode reads one of the words for what to do. `raise` with nothing else
// is the same as no on_error.
func (p *parser) errorMode(e *OnError, d *Data) *OnError {
	modes := []string{"result", "graceful", "raise", "retry"}
	switch word := p.name(d, "`on_error`").Value; word {
	case "result", "graceful":
		e.Result = e.Result || e.Goto == nil || word == "result"
	case "raise":
		if e.Goto == nil && len(e.Set) == 0 && !e.Result {
			return nil
		}
		p.at(d, "no_effect", "`mode: raise` handles nothing, and the other keys here do")
	case "retry":
		p.at(d, "not_supported", "`mode: retry` is not supported yet by this version")
	case "":
	default:
		p.at(d, "unknown_mode", "unknown mode %q of `on_error`", word).Hint = diag.DidYouMean(word, modes)
	}
	return e
}
