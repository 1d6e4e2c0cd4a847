package spec

// Rule is one line of a `goto`: the first whose condition holds is taken.
type Rule struct {
	If Text // an expression; zero: always
	To Text
}

// gotoRules reads a name, or a list of {if, to}.
func (p *parser) gotoRules(m *Member, where place) []Rule {
	if where != topLevel {
		p.atKey(m, "bad_goto", "`goto` is not allowed inside %s: nothing can jump out of it", where).
			Hint = "put the `goto` on the node that holds it, or use `if` on the steps"
		return nil
	}
	d := m.Value
	if d.IsText() {
		return []Rule{{To: p.name(d, "`goto`")}}
	}
	if !d.IsList() || len(d.Items) == 0 {
		p.wrongType(d, "`goto`", "the name of a node, or a list of {if, to}")
		return nil
	}
	rules := make([]Rule, 0, len(d.Items))
	for _, item := range d.Items {
		if r, ok := p.rule(item); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

func (p *parser) rule(d *Data) (Rule, bool) {
	if d.IsText() {
		return Rule{To: p.name(d, "`goto`")}, true
	}
	d = p.object(d, ruleShape())
	if d.Get("to") == nil {
		if len(d.Members) > 0 {
			p.at(d, "missing_key", "the rule does not say where `to` go")
		}
		return Rule{}, false
	}
	r := Rule{If: p.expr(d.Get("if"), "`if`"), To: p.name(d.Get("to"), "`to`")}
	return r, !r.To.IsZero()
}
