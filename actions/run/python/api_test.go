package python_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tea-agents/tea/actions/run/python"
	"github.com/tea-agents/tea/value"
)

func compile(tb testing.TB, code string) *python.Program {
	tb.Helper()
	p, err := python.Compile(code, python.Options{})
	if err != nil {
		tb.Fatalf("%s\n%v", code, err)
	}
	return p
}

func state(tb testing.TB) value.Value {
	tb.Helper()
	v, err := value.Parse([]byte(stateJSON))
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ code, want string }{
		"returned object":        {`return {"a": 1}`, `{"a":1}`},
		"other value":            {`return [1, 2]`, `{"result":[1,2]}`},
		"none":                   {`return None`, `{}`},
		"changed in place":       {`state["tags"].append("c")`, `{"tags":["a","b","c"]}`},
		"nested in place":        {"state['user']['langs'][0] = 'rust'\nreturn None", `{"user":{"id":7,"langs":["rust","py"]}}`},
		"read only":              {"x = state['user']['id']\nreturn {'x': x}", `{"x":7}`},
		"set to the same":        {`state["count"] = 3`, `{}`},
		"new key":                {`state["new"] = (1, 2)`, `{"new":[1,2]}`},
		"deleted key is null":    {`del state["name"]`, `{"name":null}`},
		"returned wins":          {"state['count'] = 4\nreturn {'count': 5}", `{"count":5}`},
		"whole state":            {`return state`, stateJSONSorted},
		"names":                  {"import json\nfrom math import pi\ntotal = 1\n_hidden = 2\ndef f(): pass\nfor i in range(3): last = i\nsquares = [j * j for j in range(3)]\nseen = {1}\nt = (1,)", `{"last":2,"pi":null,"squares":[0,1,4],"t":[1],"total":1}`},
		"names with return":      {"x = 1\nif False:\n    return {}\n", `{}`},
		"big and unicode":        {`return {"n": 2 ** 70, "s": "世"}`, `{"n":1180591620717411303424,"s":"世"}`},
		"keys of all kinds":      {`return {"d": {1: "a", None: "b", True: "c", 1.5: "d"}}`, `{"d":{"1":"c","1.5":"d","null":"b"}}`},
		"global written inside":  {"def f():\n    global n\n    n = 3\nf()", `{"n":3}`},
		"view must be a list":    {`return {"k": list({"a": 1}.keys())}`, `{"k":["a"]}`},
		"ordered dict, counter":  {"from collections import Counter\nreturn Counter('aab')", `{"a":2,"b":1}`},
		"variables":              {`return {"v": variables["x"] + len(parallel_results)}`, `{"v":3}`},
		"secret":                 {`return {"n": len(secrets["KEY"]), "m": secrets.get("KEY"), "d": secrets.get("NOPE", 1)}`, `{"d":1,"m":"s3cret","n":6}`},
		"action":                 {`return actions("echo", {"a": 1})`, `{"args":{"a":1},"name":"echo"}`},
		"action by key":          {`return actions["x.y"](a=[1], b=None)`, `{"args":{"a":[1],"b":null},"name":"x.y"}`},
		"secret reference stays": {`return {"s": state["token"], "t": str(state["token"])}`, `{"s":"***","t":"***"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "names" {
				tt.want = strings.Replace(tt.want, `"pi":null,`, "", 1)
			}
			s := state(t)
			if strings.Contains(tt.code, "token") {
				s = s.With("token", value.Secret("TOKEN"))
			}
			got, err := compile(t, tt.code).Run(context.Background(), fullCall(s))
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

const stateJSONSorted = `{"count":3,"flag":true,"name":"Ada","none":null,"price":19.99,"tags":["a","b"],"text":"Grüße, 世界! 🎉","user":{"id":7,"langs":["go","py"]}}`

func fullCall(s value.Value) python.Call {
	return python.Call{
		State:       s,
		Globals:     map[string]value.Value{"variables": value.Must(map[string]any{"x": 1}), "parallel_results": value.Must([]any{1, 2})},
		Secrets:     func(string) (string, error) { return "s3cret", nil },
		SecretNames: []string{"KEY", "OTHER"},
		Actions: func(_ context.Context, name string, args value.Value) (value.Value, error) {
			if name == "fails" {
				return value.Value{}, errBoom
			}
			return value.Object(value.M("name", value.String(name)), value.M("args", args)), nil
		},
		Now:  func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC) },
		Rand: rand.NewPCG(1, 2),
	}
}

var errBoom = errors.New("boom")

func TestRunErrors(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ code, msg, hint string }{
		"key with suggestion":    {`state["nmae"]`, "KeyError: 'nmae'", "did you mean name?"},
		"dict attribute":         {`state.name`, "'dict' object has no attribute 'name'", `write ["name"]`},
		"method typo":            {`"a".uper()`, "'str' object has no attribute 'uper'", "did you mean upper?"},
		"name typo":              {`pritn(1)`, "NameError: name 'pritn' is not defined", "did you mean print?"},
		"missing import":         {`json.dumps(1)`, "NameError: name 'json' is not defined", "add: import json"},
		"module attribute":       {"import json\njson.dump_s(1)", "module 'json' has no attribute 'dump_s'", "did you mean dumps?"},
		"set in result":          {`return {"x": {1, 2}}`, "state key `x`: a set is not JSON", "use sorted(...) or list(...)"},
		"function in result":     {`return {"f": len}`, "state key `f`: a builtin_function_or_method is not JSON", "did you forget to call it?"},
		"module in result":       {"import math\nreturn {'m': math}", "state key `m`: a module is not JSON", ""},
		"nan in result":          {`return {"n": [float("nan")]}`, "state key `n`: nan is not JSON", "None"},
		"bytes in result":        {`return {"b": b"x"}`, "state key `b`: a bytes object is not JSON", ".decode()"},
		"date in result":         {"from datetime import datetime\nreturn {'d': datetime(2026, 1, 2)}", "state key `d`: a datetime.datetime is not JSON", "str(...)"},
		"generator in result":    {`return {"g": (x for x in [1])}`, "state key `g`: a generator is not JSON", "list(...)"},
		"colliding keys":         {`return {"d": {1: 1, "1": 2}}`, "two keys of a dict are both \"1\" in JSON", ""},
		"tuple key":              {`return {"d": {(1, 2): 1}}`, "a tuple as the key of a dict is not JSON", "str(...)"},
		"changed to a set":       {`state["tags"] = set(state["tags"])`, "state key `tags`: a set is not JSON", ""},
		"new name nan":           {`x = float("nan")`, "state key `x`: nan is not JSON", ""},
		"cycle":                  {"a = []\na.append(a)\nreturn a", "RecursionError", ""},
		"unknown secret":         {`secrets["KEYS"]`, "there is no secret named KEYS", "did you mean KEY? Known: KEY, OTHER"},
		"failing action":         {`actions("fails", {})`, "action fails failed: boom", ""},
		"action arguments":       {`actions("x", [1])`, "the arguments of an action must be a dict, not list", ""},
		"action with a set":      {`actions("x", {"a": {1}})`, "arguments of x: a set is not JSON", ""},
		"endless recursion":      {"def f(): return f()\nf()", "RecursionError: maximum recursion depth exceeded", ""},
		"recursion through sort": {"def f(x): return sorted([1], key=f)\nf(1)", "RecursionError", ""},
		"iterators on iterators": {"it = iter([1])\nfor i in range(100000):\n    it = map(str, it)\nlist(it)", "RecursionError", ""},
		"lookahead":              {"import re\nre.search(r'a(?=b)', 'ab')", "lookahead is not supported", "python3"},
		"backreference":          {"import re\nre.search(r'(a)\\1', 'aa')", "a backreference (\\1) is not supported", "python3"},
		"sleep":                  {"import time\ntime.sleep(1)", "time.sleep is not available", ""},
		"text plus number":       {`"a" + 1`, `can only concatenate str (not "int") to str`, "str(x)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := compile(t, tt.code).Run(context.Background(), fullCall(state(t)))
			var e *python.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v", err)
			}
			if !strings.Contains(e.Msg, tt.msg) || !strings.Contains(e.Hint, tt.hint) {
				t.Errorf("got %q with hint %q", e.Msg, e.Hint)
			}
		})
	}
}

func TestActionErrorIsKept(t *testing.T) {
	t.Parallel()
	_, err := compile(t, `actions("fails", {})`).Run(context.Background(), fullCall(state(t)))
	if !errors.Is(err, errBoom) {
		t.Errorf("got %v", err)
	}
	_, err = compile(t, `actions("x", {})`).Run(context.Background(), python.Call{})
	if err == nil || !strings.Contains(err.Error(), "actions cannot be called here") {
		t.Errorf("got %v", err)
	}
}

func TestPositions(t *testing.T) {
	t.Parallel()
	code := "def f(x):\n    return x['a']\n\nprint('ü', f({}))\n"
	p, err := python.Compile(code, python.Options{Name: "agent.yaml", Line: 10, Col: 7})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Run(context.Background(), python.Call{})
	var e *python.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	if e.Line != 11 || e.Col != 18 {
		t.Errorf("at %d:%d", e.Line, e.Col)
	}
	want := "Traceback (most recent call last):\n  File \"agent.yaml\", line 13, in <module>\n  File \"agent.yaml\", line 11, in f\nKeyError: 'a'"
	if e.Traceback != want {
		t.Errorf("traceback:\n%s", e.Traceback)
	}
}

func TestStateKeys(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]struct {
		keys string
		all  bool
	}{
		`return {"x": state["b"] + state.get("a", 1)}`:          {"a b", false},
		`x = "k" in state and f"{state['z']}"`:                  {"k z", false},
		`k = "a"` + "\n" + `x = state[k]`:                       {"", true},
		`x = state.get(variables["k"])`:                         {"", true},
		"def f(s): return s\nx = f(state)":                      {"", true},
		"for k in state: print(k)":                              {"", true},
		"x = state.items()":                                     {"", true},
		"x = state.name":                                        {"name", false},
		"x = 1":                                                 {"", false},
		"def f(state): return state['q']\nx = f({'q': 1})":      {"", false},
		"x = [state['i'] for i in range(2) if state['j']]":      {"i j", false},
		"state['new'] = 1\nstate.setdefault('d', []).append(1)": {"d new", false},
		"return state":                                          {"", true},
		"x = state.get('a', state['b'])":                        {"a b", false},
	} {
		keys, all := compile(t, code).StateKeys()
		if strings.Join(keys, " ") != want.keys || all != want.all {
			t.Errorf("%s: %q %v", code, keys, all)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"try:\n    x = 1\nexcept Exception as e:\n    pass": "1:1: try is not supported by the embedded Python",
		"with open('f') as f:\n    pass":                    "1:1: with is not supported by the embedded Python",
		"class A:\n    x = 1":                               "1:1: class is not supported by the embedded Python",
		"x = 1\nasync def f(): pass":                        "2:1: async is not supported by the embedded Python",
		"def f():\n    yield 1":                             "2:5: yield is not supported by the embedded Python",
		"@d\ndef f(): pass":                                 "1:1: a decorator is not supported by the embedded Python",
		"x = 1\nstate = {'a': 1}":                           "2:1: state cannot be replaced",
		"for state in [1]: pass":                            "1:5: state cannot be replaced",
		"import os":                                         "1:8: the module 'os' is not available in the embedded Python",
		"import jsn":                                        "1:8: the module 'jsn' is not available in the embedded Python",
		"from json import lods":                             "1:18: cannot import name 'lods' from 'json'",
		"from math import *":                                "1:18: 'from math import *' is not supported here",
		"x = eval('1')":                                     "1:5: eval is not supported by the embedded Python",
		"open('x')":                                         "1:1: open is not supported by the embedded Python",
		"match x:\n  case 1: pass":                          "1:1: match is not supported by the embedded Python",
		"x = (1,\ny = 2":                                    "1:5: '(' was never closed",
		"if x\n    y = 1":                                   "1:5: expected ':', found end of line",
		"x = 'abc":                                          "1:5: unterminated string literal",
		"  x = 1":                                           "1:3: unexpected indent",
		"def f():\nx = 1":                                   "2:1: expected an indented block after function definition on line 1",
		"print 'x'":                                         "1:7: missing parentheses in call to 'print': write print(...)",
		"f(x) = 1":                                          "1:1: cannot assign to function call",
		"None = 1":                                          "1:1: cannot assign to None",
		"break":                                             "1:1: 'break' outside loop",
		"f'{'":                                              "1:3: '{' was never closed",
		"x = f'{}'":                                         "1:8: f-string: valid expression required before '}'",
		"x = 1 +":                                           "1:8: invalid syntax: unexpected end of line",
		"x = 3j":                                            "1:5: complex numbers are not supported here",
		"def f(a, a): pass":                                 "1:10: duplicate argument 'a' in function definition",
		"f(a=1, a=2)":                                       "1:8: keyword argument repeated: a",
		"f(a=1, 2)":                                         "1:8: positional argument follows keyword argument",
		"x = “a”":                                           "1:5: invalid character '“'",
		"if x = 1: pass":                                    "1:6: expected ':', found '='",
		"a = 1\n\ttry:\n  b":                                "2:2: unexpected indent",
	} {
		_, err := python.Compile(code, python.Options{})
		if err == nil || strings.Split(err.Error(), "\n")[0] != want {
			t.Errorf("%q: got %v, want %s", code, err, want)
		}
	}
}

func TestAllCompileErrorsAtOnce(t *testing.T) {
	t.Parallel()
	code := "import os\nx = (1 +\n\ntry:\n    import sys\nfinally:\n    pass\nwith a as b: pass\n"
	_, err := python.Compile("import os\nx = = 1\ntry:\n    import sys\nfinally:\n    y = )\nwith a as b: pass\n", python.Options{Line: 5, Col: 3})
	var es python.Errors
	if !errors.As(err, &es) {
		t.Fatal(err)
	}
	var lines []int
	for _, e := range es {
		lines = append(lines, e.Line)
		if e.Hint == "" && e.Line != 6 && e.Line != 10 {
			t.Errorf("%v has no hint", e)
		}
	}
	if !slices.Equal(lines, []int{5, 6, 7, 8, 10, 11}) {
		t.Errorf("%v", err)
	}
	if _, err := python.Compile(code, python.Options{}); err == nil {
		t.Error("no error")
	}
}

func TestHasReturn(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"return 1": true, "if x:\n  return": true, "def f(): return 1": false, "x = 1": false, "f = lambda: 1": false,
	} {
		if got := compile(t, code).HasReturn(); got != want {
			t.Errorf("%q: %v", code, got)
		}
	}
}

// TestLimits runs code that asks for too much. Each must end soon, with an
// error.
func TestLimits(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		`"a" * 10**12`, `[0] * 10**9`, `list(range(10**9))`, `10**10**10`, `2 ** (2 ** 40)`, `1 << 10**9`, `f"{1:>99999999}"`, `"%99999999d" % 1`,
		`"x".ljust(10**10)`, `"a".zfill(10**10)`, `("ab" * 10**6).replace("a", "x" * 10**6)`, `("," * 10**6).join(["x"] * 10**6)`,
		`"{:{}}".format(1, 10**9)`, `bytes(10**11)`, `while True: pass`, `sum(range(10**12))`, `[x for x in range(10**9)]`,
		"x = []\nwhile True: x.append(x)", "x = 'a'\nwhile True: x += x", "x = [1]\nwhile True: x += x", "d = {}\ni = 0\nwhile True:\n    d[i] = 'v' * 100\n    i += 1",
		"import json\nx = [1]\nfor i in range(60): x = [x, x]\njson.dumps(x)", "x = ()\nfor i in range(60): x = (x, x)\nhash(x)", "x = [1]\nfor i in range(60): x = [x, x]\nreturn x",
		"x = [1]\nfor i in range(60): x = [x, x]\nprint(x)", "x = [1]\nfor i in range(60): x = [x, x]\ny = [1]\nfor i in range(60): y = [y, y]\nprint(x == y)",
		"import itertools\nlist(itertools.count())", "import itertools\nlist(itertools.repeat(1))", "import itertools\nlist(itertools.product(range(100), repeat=10))",
		"import math\nmath.factorial(10**9)", "import math\nmath.comb(10**9, 5 * 10**8)", "set(range(10**9))", "tuple(x for x in range(10**9))", "sorted(range(10**9))",
		"x = 3\nfor i in range(100): x = x * x", "str(7 ** 10000000)", "int('9' * 10**6)", "def f(n): return [[0] * 10**6, f(n - 1)] if n else 0\nf(900)",
		"import textwrap\ntextwrap.indent('a\\n' * 10**5, 'x' * 10**5)", "import re\nre.sub('a', 'b' * 10**6, 'a' * 10**5)", "'a'.center(10**11)", "'\\t'.expandtabs(10**11)",
		"from collections import Counter\nlist(Counter({'a': 10**12}).elements())", "zip(*[[0]] * 10**9)", "x = [[0] * 1000 for i in range(10**7)]", "any(False for x in iter(range(10**15)))",
		"import random\nrandom.choices([1], k=10**12)", "max(range(10**12))", "(10**12) in (x for x in range(10**13))", "pow(7, 10**4000, 10**4000 + 1) + pow(7, 1 << 16000000, (1 << 16000000) + 1)",
	} {
		t.Run(strings.ReplaceAll(code, "\n", ";"), func(t *testing.T) {
			t.Parallel()
			p := compile(t, code)
			c := fullCall(state(t))
			c.MaxSteps, c.MaxAlloc = 300_000, 32<<20
			start := time.Now()
			_, err := p.Run(context.Background(), c)
			if err == nil {
				t.Error("no error")
			}
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

// TestGarbageIsNotHeld shows that the memory limit is about what is held, not
// about what was ever made.
func TestGarbageIsNotHeld(t *testing.T) {
	t.Parallel()
	for _, code := range []string{
		"s = ''\nfor i in range(3000):\n    s += 'x' * 20\nreturn len(s)",
		"for i in range(2000):\n    x = [0] * 1000\nreturn len(x)",
		"def f():\n    return [0] * 1000\ndef g():\n    for i in range(2000):\n        y = f()\n    return y\nreturn len(g()) + len(g())",
		"x = {}\nfor i in range(2000):\n    x[i % 3] = 'y' * 10000\nreturn len(x)",
	} {
		c := python.Call{MaxAlloc: 1 << 20}
		if _, err := compile(t, code).Run(context.Background(), c); err != nil {
			t.Errorf("%s: %v", code, err)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	n := 0
	c := python.Call{Print: func(string) {
		if n++; n == 10 {
			cancel(stop)
		}
	}}
	_, err := compile(t, "while True: print('x')").Run(ctx, c)
	var e *python.Error
	if !errors.As(err, &e) || !e.Limit || !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func TestConcurrentRuns(t *testing.T) {
	t.Parallel()
	p := compile(t, "import re, json, datetime\ns = 'Grüße 世界'\nx = [re.sub('[ß界]', c, s[i:]) for i, c in enumerate(s)]\ny = json.dumps({'a': s[2]})\nstate['tags'].append(len(x))")
	want, err := p.Run(context.Background(), fullCall(state(t)))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	shared := state(t)
	for range 8 {
		wg.Go(func() {
			got, err := p.Run(context.Background(), fullCall(shared))
			if err != nil || !value.Equal(got, want) {
				t.Errorf("%v %v", got, err)
			}
		})
	}
	wg.Wait()
}

func TestRandomIsTheHosts(t *testing.T) {
	t.Parallel()
	code := `import random, uuid
random_values = [random.random(), random.randint(1, 6), random.choice("abc"), random.sample(range(10), 3), random.uniform(1, 2), str(uuid.uuid4())]
l = [1, 2, 3, 4]
random.shuffle(l)
return {"v": random_values, "l": l, "ok": sorted(l) == [1, 2, 3, 4] and 1 <= random_values[1] <= 6}`
	run := func(seed uint64) value.Value {
		c := fullCall(state(t))
		c.Rand = rand.NewPCG(seed, 0)
		v, err := compile(t, code).Run(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if a, b := run(1), run(1); !value.Equal(a, b) {
		t.Errorf("%v %v", a, b)
	}
	if a, b := run(1), run(2); value.Equal(a, b) || a.At("ok").String() != "true" {
		t.Errorf("%v %v", a, b)
	}
}

func TestClockIsTheHosts(t *testing.T) {
	t.Parallel()
	code := `import time
from datetime import datetime, date, timezone
return {"t": time.time(), "n": datetime.now().isoformat(), "u": datetime.now(timezone.utc).isoformat(), "d": str(date.today())}`
	v, err := compile(t, code).Run(context.Background(), fullCall(state(t)))
	want := `{"d":"2026-01-02","n":"2026-01-02T03:04:05.000006","t":1767323045.000006,"u":"2026-01-02T03:04:05.000006+00:00"}`
	if err != nil || v.String() != want {
		t.Errorf("%v %v", v, err)
	}
}
