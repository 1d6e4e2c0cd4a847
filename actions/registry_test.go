package actions_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

func nothing(context.Context, actions.Env, struct{}) (value.Value, error) { return value.Object(), nil }

func named(names ...string) []actions.Action {
	list := make([]actions.Action, len(names))
	for i, name := range names {
		list[i] = actions.Define(spec(name), nothing)
	}
	return list
}

func TestLookupKnowsBothNames(t *testing.T) {
	t.Parallel()
	r, err := actions.NewRegistry(named("log", "cache.wrap", "a.b.c")...)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"log": "log", "actions.log": "log",
		"cache.wrap": "cache.wrap", "actions.cache_wrap": "cache.wrap",
		"a.b.c": "a.b.c", "actions.a_b_c": "a.b.c",
	} {
		if a, ok := r.Lookup(name); !ok || a.Spec().Name != want {
			t.Errorf("%s: got %q", name, a.Spec().Name)
		}
	}
	for _, name := range []string{"", "actions", "actions.cache.wrap", "cache_wrap", "Log", "wrap", "actions.actions.log"} {
		if _, ok := r.Lookup(name); ok {
			t.Errorf("found %q", name)
		}
	}
	if got := r.Names(); !slices.Equal(got, []string{"a.b.c", "cache.wrap", "log"}) {
		t.Errorf("got %v", got)
	}
	if all := r.All(); len(all) != 3 || all[2].Spec().Name != "log" {
		t.Errorf("got %v", all)
	}
}

func TestSuggestKeepsTheForm(t *testing.T) {
	t.Parallel()
	r, err := actions.NewRegistry(named("log", "cache.wrap")...)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"cache.warp": "cache.wrap", "actions.cache_warp": "actions.cache_wrap", "lgo": "log", "something.else": "",
	} {
		if got := r.Suggest(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestNewRegistryNamesAllThatIsWrong(t *testing.T) {
	t.Parallel()
	list := named("log", "log", "a.b_c", "a_b.c", "Bad", "a..b", "actions.x", "")
	list = append(list,
		actions.Action{},
		actions.Define(actions.Spec{Name: "v.zero", Effect: 9}, nothing),
		actions.Define(spec("i.bad"), func(context.Context, actions.Env, int) (value.Value, error) { return value.Null(), nil }),
		actions.Define(spec("o.bad"), func(context.Context, actions.Env, struct{}) (chan int, error) { return nil, nil }),
		actions.Define[struct{}, value.Value](spec("f.nil"), nil),
	)
	r, err := actions.NewRegistry(list...)
	if err == nil || r != nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		`action "log" is declared twice`, `actions "a.b_c" and "a_b.c" share the name "actions.a_b_c"`,
		`action "Bad": the name must`, `action "a..b": the name must`, `action "": the name must`, `reserved`,
		`not made by Define`, `action "v.zero": the version must be at least 1, got 0`, `action "v.zero": unknown effect 9`,
		`action "i.bad": input: schema: int is not a struct`, `action "o.bad": output: schema: chan int`, `action "f.nil": no function`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in:\n%v", want, err)
		}
	}
	if _, err := list[4].Handle(t.Context(), actions.Env{}, call(`{}`)); actions.CodeOf(err) != actions.CodeInternal {
		t.Errorf("a malformed action ran: %v", err)
	}
}
