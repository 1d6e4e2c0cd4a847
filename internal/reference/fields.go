package reference

import (
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/internal/schema"
)

// row is one parameter or result key as both forms show it.
type row struct{ name, typ, note, doc string }

// rows lists the fields of an object and, indented by dots, of objects in it.
// A nil object, of free-form data, has none.
func rows(o *schema.Object, prefix string) []row {
	if o == nil {
		return nil
	}
	var all []row
	for _, f := range o.Fields() {
		all = append(all, row{prefix + f.Name, f.Type, note(f), f.Doc})
		if f.Object != nil {
			all = append(all, rows(f.Object, prefix+f.Name+".")...)
		}
	}
	return all
}

// note says what else is known of a field: required, its default, its choices.
func note(f schema.Field) string {
	var parts []string
	if f.Required {
		parts = append(parts, "required")
	}
	if !f.Default.IsNull() {
		parts = append(parts, "default "+f.Default.String())
	}
	if len(f.Enum) > 0 {
		parts = append(parts, "one of "+strings.Join(f.Enum, ", "))
	}
	switch {
	case f.Min != "" && f.Max != "":
		parts = append(parts, f.Min+" to "+f.Max)
	case f.Min != "":
		parts = append(parts, "at least "+f.Min)
	case f.Max != "":
		parts = append(parts, "at most "+f.Max)
	}
	if f.Mode == schema.ModeExpr {
		parts = append(parts, "an expression")
	}
	return strings.Join(parts, "; ")
}

// secondName is the name of AC-22: actions.cache_wrap for cache.wrap.
func secondName(name string) string { return "actions." + strings.ReplaceAll(name, ".", "_") }

// results lists what an action returns; success stands in every result.
func results(a actions.Action) []row {
	all := rows(a.Output(), "")
	for _, r := range all {
		if r.name == "success" {
			return all
		}
	}
	return append([]row{{"success", "boolean", "", "Whether it succeeded; always true in a result that is not a handled failure."}}, all...)
}
