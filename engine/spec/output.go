package spec

// Output is a node's `output`: a name for the whole result, or templates.
type Output struct {
	Name   Text
	Fields []Member
}

func (p *parser) output(d *Data) Output {
	switch {
	case d == nil:
		return Output{}
	case d.IsText():
		return Output{Name: p.name(d, "`output`")}
	case d.IsObject() && len(d.Members) > 0:
		return Output{Fields: d.Members}
	}
	p.wrongType(d, "`output`", "a name, or a map of names to templates")
	return Output{}
}
