package filters_test

import (
	"testing"

	"github.com/tea-agents/tea/filters"
)

const benchSource = "Hello {{ state.user.name | upper }},\n{% for u in state.users if u.active %}- {{ loop.index }} {{ u.name }}\n{% endfor %}Bye."

func BenchmarkSingleExpression(b *testing.B) {
	tpl, err := filters.Default().Compile("{{ state.user.name }}")
	if err != nil {
		b.Fatal(err)
	}
	scope := stateScope(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tpl.Render(b.Context(), scope); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSmallTemplate(b *testing.B) {
	tpl, err := filters.Default().Compile(benchSource)
	if err != nil {
		b.Fatal(err)
	}
	scope := stateScope(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tpl.Render(b.Context(), scope); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	set := filters.Default()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := set.Compile(benchSource); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDefault(b *testing.B) {
	for b.Loop() {
		filters.Default()
	}
}
