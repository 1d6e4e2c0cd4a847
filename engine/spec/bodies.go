package spec

import "github.com/tea-agents/tea/internal/diag"

// Run is a block of code.
type Run struct {
	Pos      diag.Pos
	Language Text // zero: python
	Code     Text
}

// Uses calls an action.
type Uses struct {
	Pos    diag.Pos
	Action Text
	With   *Data // an object; nil when not written
}

// Steps are bodies in order.
type Steps struct {
	Pos   diag.Pos
	Nodes []*Node
}

// While is a loop with a condition.
type While struct {
	Pos           diag.Pos
	Condition     Text
	MaxIterations int
	Nodes         []*Node
}

func (*Run) body()   {}
func (*Uses) body()  {}
func (*Steps) body() {}
func (*While) body() {}

func (p *parser) run(d *Data, m *Member) Body {
	if !m.Value.IsText() {
		p.wrongType(m.Value, "`"+m.Key.Value+"`", "code").Hint = "write it as a block: `" + m.Key.Value + ": |` and the code below"
		return nil
	}
	return &Run{Pos: m.Key.Pos, Language: p.name(d.Get("language"), "`language`"), Code: m.Value.Text}
}

func (p *parser) uses(d *Data, m *Member) Body {
	action := p.name(m.Value, "`uses`")
	with := p.mapping(d.Get("with"), "`with`")
	if action.IsZero() {
		return nil
	}
	return &Uses{Pos: m.Key.Pos, Action: action, With: with}
}

// typed reads the bodies that `type` names.
func (p *parser) typed(d *Data, m *Member) Body {
	t := p.name(m.Value, "`type`")
	switch t.Value {
	case "":
		return nil
	case "while_loop":
		return p.while(d, m)
	case "dynamic_parallel":
		p.at(m.Value, "not_supported", "`type: dynamic_parallel` is not supported yet by this version")
	default:
		p.at(m.Value, "unknown_type", "unknown type of node %q", t.Value).
			Hint = diag.DidYouMean(t.Value, []string{"while_loop", "dynamic_parallel"})
	}
	return nil
}

// maxIterations is the highest max_iterations of a loop.
const maxIterations = 1000

func (p *parser) while(d *Data, m *Member) Body {
	w := &While{Pos: m.Key.Pos, Condition: p.expr(d.Get("condition"), "`condition`")}
	for _, key := range []string{"condition", "max_iterations", "body"} {
		if d.Get(key) == nil {
			p.at(m.Value, "missing_key", "a while_loop needs `%s`", key)
		}
	}
	w.MaxIterations = p.integer(d.Get("max_iterations"), "`max_iterations`", 1, maxIterations)
	if body := d.member("body"); body != nil {
		w.Nodes = p.inner(body, inLoop)
	}
	return w
}
