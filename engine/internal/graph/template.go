package graph

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/filters"
	"github.com/tea-agents/tea/internal/diag"
)

// scope is where a template stands: which names it sees, and what it may use.
type scope struct {
	where  string // "with", "output": the key of the document
	result bool   // `result` is in scope
	fixed  bool   // there is no state: the template is rendered before the run
	hash   bool   // storage_hash is allowed
	// anything lets all names pass: they are those of an action.
	anything bool
}

func scopeOf(where string) scope { return scope{where: where} }

// dynamic tells whether a string has a template in it.
func dynamic(s string) bool {
	return strings.Contains(s, "{{") || strings.Contains(s, "{%") || strings.Contains(s, "{#")
}

// tree compiles data with templates. Nothing that is static is kept apart.
func (c *compiler) tree(d *spec.Data, in scope) *Tree {
	t := &Tree{text: d.Text}
	switch {
	case d.IsText() && dynamic(d.Text.Value):
		t.tmpl = c.template(d.Text, in)
	case d.IsList():
		t.items = make([]*Tree, len(d.Items))
		static := true
		for i, item := range d.Items {
			t.items[i] = c.tree(item, in)
			static = static && t.items[i].Static()
		}
		if static {
			return &Tree{static: d.Value()}
		}
	case d.IsObject():
		t.members = c.fieldsOf(d.Members, in)
		for _, m := range t.members {
			if !m.Value.Static() {
				return t
			}
		}
		return &Tree{static: d.Value()}
	}
	if t.Static() {
		t.static = d.Value()
	}
	return t
}

func (c *compiler) fieldsOf(members []spec.Member, in scope) []Field {
	fields := make([]Field, len(members))
	for i, m := range members {
		if dynamic(m.Key.Value) {
			c.at(m.Key, codeTemplate, "keys are not rendered: this one would stay as it is written")
		}
		fields[i] = Field{Key: m.Key.Value, Value: c.tree(m.Value, in)}
	}
	return fields
}

// template compiles one string; nil when it is not well formed.
func (c *compiler) template(t spec.Text, in scope) *filters.Template {
	tmpl, err := c.o.Filters.Compile(t.Value)
	if err != nil {
		c.diags = append(c.diags, placed(err, t, codeTemplate)...)
		return nil
	}
	c.names(t, tmpl.Paths(), in)
	c.storageHash(t, tmpl.Uses(storageHash), in)
	return tmpl
}

// expr compiles an expression, which may stand in {{ }}; nil for none.
func (c *compiler) expr(t spec.Text, in scope) *Expr {
	if t.IsZero() {
		return nil
	}
	e, err := c.o.Filters.CompileExpr(t.Value)
	if err != nil {
		c.diags = append(c.diags, placed(err, t, codeExpression)...)
		return nil
	}
	c.names(t, e.Paths(), in)
	c.storageHash(t, e.Uses(storageHash), in)
	return &Expr{text: t, expr: e}
}

const storageHash = "storage_hash"

func (c *compiler) storageHash(t spec.Text, used bool, in scope) {
	if !used || in.hash {
		return
	}
	i := max(0, strings.Index(t.Value, storageHash))
	c.add(t.At(i), len(storageHash), "storage_hash", "storage_hash reads a file, which only templates in `with` may do").
		Hint = "compute it with `uses: storage.hash` in a node before, or in `with`"
}

// names checks the names that a template reads.
func (c *compiler) names(t spec.Text, paths []filters.Path, in scope) {
	if in.anything {
		return
	}
	for _, path := range paths {
		root, start := path.Parts[0], path.Offset
		if !c.knownRoot(t, start, root, in) || len(path.Parts) == 1 {
			continue
		}
		key := path.Parts[1]
		if known, closed := c.membersOf(root); closed && !known[key] {
			after := start + len(root)
			at := after + max(0, strings.Index(t.Value[after:], key))
			c.add(t.At(at), utf8.RuneCountInString(key), "unknown_name", "%s has no %q", root, key).
				Hint = c.memberHint(root, key, known)
		}
	}
}

// knownRoot tells whether a name that stands at start is one of the scope.
func (c *compiler) knownRoot(t spec.Text, start int, root string, in scope) bool {
	known := []string{"state", "variables", "secrets", "settings", "env", "checkpoint", "data"}
	if in.fixed {
		known = []string{"variables", "secrets", "env"}
	}
	if in.result {
		known = append(known, "result")
	}
	if slices.Contains(known, root) {
		return true
	}
	d := c.add(t.At(start), utf8.RuneCountInString(root), "unknown_name", "unknown name %q", root)
	switch {
	case in.fixed:
		d.Hint = "`" + in.where + "` is read before the run: it sees variables, secrets and env"
	case root == "result":
		d.Hint = "`result` is known in `output` only"
	case diag.Suggest(root, known) != "":
		d.Hint = diag.DidYouMean(root, known)
	default:
		d.Hint = "values of the run are in `state`, as in state." + root
	}
	return false
}

// membersOf returns the members of a root whose members are known, and whether
// they are.
func (c *compiler) membersOf(root string) (known map[string]bool, closed bool) {
	known = map[string]bool{}
	switch root {
	case "variables":
		if c.agent.Variables != nil {
			for _, m := range c.agent.Variables.Members {
				known[m.Key.Value] = true
			}
		}
	case "secrets":
		for _, s := range c.agent.Secrets {
			known[s.Value] = true
		}
	case "env":
		for _, s := range c.set.Env {
			known[s.Value] = true
		}
	case "settings":
		for _, key := range c.settingKeys() {
			known[key] = true
		}
	default:
		return nil, false
	}
	for _, method := range []string{"get", "items", "keys", "values"} {
		known[method] = true
	}
	return known, true
}

func (c *compiler) settingKeys() []string {
	if c.set.Data == nil {
		return nil
	}
	return c.set.Data.Value().Keys()
}

func (c *compiler) memberHint(root, key string, known map[string]bool) string {
	names := make([]string, 0, len(known))
	for name := range known {
		names = append(names, name)
	}
	if s := diag.Suggest(key, names); s != "" {
		return diag.DidYouMean(key, names)
	}
	switch root {
	case "secrets":
		return "list it under `secrets:`"
	case "env":
		return "list it under `settings.env:`"
	case "variables":
		return "declare it under `variables:`"
	}
	return ""
}
