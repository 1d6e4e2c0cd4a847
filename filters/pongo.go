package filters

import (
	"errors"
	"io"

	"github.com/flosch/pongo2/v6"

	"github.com/tea-agents/tea/value"
)

// refusingLoader keeps pongo2 from the file system: its own default loader
// reads any file.
type refusingLoader struct{}

// Abs returns name as it is.
func (refusingLoader) Abs(_, name string) string { return name }

// Get refuses.
func (refusingLoader) Get(string) (io.Reader, error) {
	return nil, errors.New("templates read no files")
}

// newPongo returns a template set that knows if and for only.
func newPongo() *pongo2.TemplateSet {
	set := pongo2.NewSet("tea", refusingLoader{})
	for _, tag := range []string{
		"autoescape", "block", "comment", "cycle", "extends", "filter", "firstof", "ifchanged", "ifequal",
		"ifnotequal", "import", "include", "lorem", "macro", "now", "set", "spaceless", "ssi", "templatetag",
		"widthratio", "with",
	} {
		if err := set.BanTag(tag); err != nil {
			panic("filters: " + err.Error()) // a tag that this version of pongo2 does not have
		}
	}
	return set
}

// skeleton compiles what is left of a template without its expressions.
func (s *Set) skeleton(src string) (*pongo2.Template, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pongo.FromString(src)
}

// rendering is one run of a skeleton. pongo2 writes the text between the
// expressions to it, and calls do for all else.
type rendering struct {
	*env
	t    *Template
	outs []*output // the innermost {% set %} block last
	size int
	err  error
}

// output is text that is being put together, with secrets in it.
type output struct {
	parts []value.Value
	text  []byte
}

func (o *output) value() value.Value {
	if len(o.parts) == 0 {
		return value.String(string(o.text))
	}
	o.secret(value.String(""))
	joined, _ := value.Concat(o.parts...)
	return joined
}

func (o *output) secret(v value.Value) {
	o.parts = append(o.parts, value.String(string(o.text)), v)
	o.text = o.text[:0]
}

// render runs the skeleton of t.
func render(t *Template, e *env) (value.Value, error) {
	e.frames = []*frame{{}}
	r := &rendering{env: e, t: t, outs: []*output{{}}}
	err := t.body.ExecuteWriterUnbuffered(pongo2.Context{"f": r.do}, r)
	if r.err != nil {
		return value.Null(), r.err
	}
	if err != nil {
		return value.Null(), failAt(0, "the template cannot be run: %s", err)
	}
	return r.outs[0].value(), nil
}

// Write takes text from pongo2, which does not look at the error.
func (r *rendering) Write(p []byte) (int, error) {
	if len(p) == 0 || r.err != nil {
		return len(p), nil
	}
	if r.err = r.grow(len(p)); r.err == nil {
		o := r.outs[len(r.outs)-1]
		o.text = append(o.text, p...)
	}
	return len(p), nil
}

func (r *rendering) grow(n int) error {
	if r.size += n; r.size > MaxOutput {
		return failf("the rendered text is larger than %d MiB", MaxOutput>>20)
	}
	return r.tick(n / 64)
}

// do is what the skeleton calls as f(what, n). What it returns is data of the
// simplest kinds, never anything with methods.
func (r *rendering) do(what, n int) (*pongo2.Value, error) {
	out := any("")
	if r.err == nil {
		r.err = r.tick(1)
	}
	if r.err == nil {
		switch what {
		case doTest:
			out, r.err = r.test(n)
		case doLoop:
			out, r.err = r.begin(n)
		default:
			r.err = r.act(what, n)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return pongo2.AsSafeValue(out), nil
}

// act does what has no result.
func (r *rendering) act(what, n int) error {
	o := r.outs[len(r.outs)-1]
	switch what {
	case doText:
		_, _ = r.Write([]byte(r.t.texts[n]))
		return r.err
	case doPrint:
		return r.print(r.t.exprs[n])
	case doNext:
		return r.next(n)
	case doEndLoop:
		r.frames = r.frames[:len(r.frames)-1]
	case doCapture:
		r.outs = append(r.outs, &output{})
	case doSet:
		s := r.t.sets[n]
		if s.x == nil {
			r.outs = r.outs[:len(r.outs)-1]
			return at(s.off, r.assign(s, o.value()))
		}
		v, err := r.result(*s.x)
		if err != nil {
			return err
		}
		return r.assign(s, v)
	}
	return nil
}

// print writes the text of an expression; what is missing is an error here.
func (r *rendering) print(c compiled) error {
	v, err := r.text(c.node)
	if err != nil {
		return err
	}
	o := r.outs[len(r.outs)-1]
	if v.Kind() == value.KindSecret {
		o.secret(v)
		return at(c.at(), r.grow(textSize(v)))
	}
	s, err := Text(v)
	if err == nil {
		err = r.grow(len(s))
	}
	if err != nil {
		return at(c.at(), err)
	}
	o.text = append(o.text, s...)
	return nil
}

func (r *rendering) test(n int) (bool, error) {
	x, err := r.t.exprs[n].eval(r.env)
	return truthOf(x), err
}
