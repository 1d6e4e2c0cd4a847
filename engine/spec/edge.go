package spec

import "github.com/tea-agents/tea/internal/diag"

// Edge is a way from one node to another.
type Edge struct {
	Pos      diag.Pos
	From, To Text
	When     Text // an expression; zero: always
}

func (p *parser) edge(d *Data) *Edge {
	d = p.object(d, edgeShape())
	e := &Edge{Pos: d.Pos, From: p.name(d.Get("from"), "`from`")}
	if to := d.Get("to"); to != nil && to.IsList() {
		p.at(to, "not_supported", "a list of targets is not supported yet by this version")
	} else {
		e.To = p.name(to, "`to`")
	}
	for _, key := range []string{"from", "to"} {
		if d.Get(key) == nil && len(d.Members) > 0 {
			p.at(d, "missing_key", "the edge has no `%s`", key)
		}
	}
	when, condition := d.member("when"), d.member("condition")
	switch {
	case when != nil && condition != nil:
		p.atKey(condition, "two_conditions", "`condition` is another word for `when`, and the edge has both")
	case condition != nil:
		when = condition
	}
	if when != nil {
		e.When = p.expr(when.Value, "`"+when.Key.Value+"`")
	}
	p.edgeType(d)
	return e
}

// edgeType checks `type` and `parallel`, of which only the plain meaning is
// supported.
func (p *parser) edgeType(d *Data) {
	if m := d.member("parallel"); m != nil && p.bool(m.Value, "`parallel`") {
		p.atKey(m, "not_supported", "`parallel` is not supported yet by this version")
	}
	t := d.Get("type")
	if t == nil {
		return
	}
	switch name := p.name(t, "`type`").Value; name {
	case "", "sequential", "conditional", "normal", "simple":
	case "parallel":
		p.at(t, "not_supported", "`type: parallel` is not supported yet by this version")
	default:
		p.at(t, "unknown_type", "unknown type of edge %q", name).
			Hint = diag.DidYouMean(name, []string{"sequential", "conditional", "parallel"})
	}
}
