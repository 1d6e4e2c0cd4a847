package cache

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/tea-agents/tea/internal/diag"
	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// Expand returns the options that the short form of `cache:` stands for: true,
// false, a mode, a duration, or never. An object stands for itself. The error
// says what else could have been meant.
func Expand(short value.Value) (value.Value, error) {
	switch short.Kind() {
	case value.KindObject:
		return short, nil
	case value.KindBool:
		if on, _ := short.AsBool(); on {
			return value.Object(), nil
		}
		return value.Object(value.M("cache_enabled", short)), nil
	case value.KindInt:
		return value.Object(value.M("ttl_seconds", short)), nil
	case value.KindString:
		if _, err := ParseMode(short.Text()); err == nil {
			return value.Object(value.M("mode", short)), nil
		}
		if _, ok := parseTTL(short.Text()); ok {
			return value.Object(value.M("ttl", short)), nil
		}
		return value.Null(), fmt.Errorf("%q is neither a mode nor a duration such as 30d; %s",
			short.Text(), diag.DidYouMean(short.Text(), append(modeNames(), "never")))
	default:
		return value.Null(), fmt.Errorf("want true, false, a mode, a duration or an object of options, have %s", short.Kind())
	}
}

// Prepare completes the options of a cached call at load time, and finds what
// is wrong with them that their schema alone cannot tell. It takes the options
// as written, with templates in them; other keys of raw stay as they are.
// isDynamic tells whether a string is a template; args are the names of the
// arguments that the call may have, nil if they are not known.
//
// What it completes is what rendering would lose: that there is a key at all,
// though it may turn out null (key_strategy), that key_source is a value
// because a template was written (key_source_is), and that a plain path under
// vary is one (state.tenant becomes {{ state.tenant }}).
func Prepare(raw value.Value, isDynamic func(string) bool, args []string) (value.Value, schema.Problems) {
	p := &preparer{raw: raw, dynamic: isDynamic, args: args}
	p.key()
	p.source()
	p.vary()
	p.names("key_args")
	p.names("ignore_args")
	p.static()
	return p.raw, p.problems
}

type preparer struct {
	reader
	raw     value.Value
	dynamic func(string) bool
	args    []string
}

// isDynamic tells whether a value has a template in it.
func (p *preparer) isDynamic(v value.Value) bool {
	switch v.Kind() {
	case value.KindString:
		return p.dynamic(v.Text())
	case value.KindList:
		for _, item := range v.Items() {
			if p.isDynamic(item) {
				return true
			}
		}
	case value.KindObject:
		for _, m := range v.Members() {
			if p.isDynamic(m) {
				return true
			}
		}
	}
	return false
}

// key makes a key that is written imply its strategy.
func (p *preparer) key() {
	key, written := p.raw.Get("key")
	strategy := p.raw.At("key_strategy")
	switch {
	case written && (key.IsNull() || key.Kind() == value.KindString && key.Text() == ""):
		p.wrong("key", "leave it out to use another strategy", "the key is empty")
	case written && strategy.IsNull():
		p.raw = p.raw.With("key_strategy", value.String(string(ByCustom)))
	case written && !p.isDynamic(strategy) && Strategy(strategy.Text()) != ByCustom:
		p.keyImplies(Strategy(strategy.Text()))
	case !written && Strategy(strategy.Text()) == ByCustom:
		p.wrong("key_strategy", "", "the strategy custom needs a key")
	}
}

// source finds out what key_source is.
func (p *preparer) source() {
	strategy := Strategy(p.raw.At("key_strategy").Text())
	source := p.raw.At("key_source")
	is := p.raw.At("key_source_is")
	switch {
	case strategy == BySHA256 && source.IsNull():
		p.wrong("key_strategy", "", "the strategy sha256 needs a key_source: a value to hash, or an argument's name")
	case strategy == BySHA256 && is.IsNull() && (p.isDynamic(source) || source.Kind() != value.KindString):
		p.raw = p.raw.With("key_source_is", value.String("value"))
	case strategy == BySHA256 && is.Text() != "value":
		p.known("key_source", source)
	case strategy == ByFile && source.IsNull():
		p.known("key_source", value.String("file"))
	case strategy == ByFile:
		p.known("key_source", source)
	}
}

// known finds an argument that the call cannot have.
func (p *preparer) known(option string, name value.Value) {
	text, ok := name.AsString()
	if !ok || p.args == nil || p.dynamic(text) || slices.Contains(p.args, text) {
		return
	}
	p.wrong(option, diag.DidYouMean(text, p.args), fmt.Sprintf("the call has no argument %q", text))
}

// names checks a list of names of arguments.
func (p *preparer) names(option string) {
	for _, name := range p.raw.At(option).Items() {
		p.known(option, name)
	}
}

// aPath is a plain path to a value of the run.
func aPath() *regexp.Regexp {
	return regexp.MustCompile(`^(state|variables|env|settings|data|checkpoint)(\.[A-Za-z_][A-Za-z0-9_]*)+$`)
}

// vary turns plain paths into templates.
func (p *preparer) vary() {
	list := p.raw.At("vary")
	if list.Kind() != value.KindList {
		return
	}
	items, path := make([]value.Value, list.Len()), aPath()
	for i, item := range list.Items() {
		items[i] = item
		switch {
		case p.isDynamic(item):
		case path.MatchString(item.Text()):
			items[i] = value.String("{{ " + item.Text() + " }}")
		default:
			p.wrong("vary", "write a path such as state.tenant, or a template", "a constant tells no calls apart")
			last := &p.problems[len(p.problems)-1]
			last.Path = append(last.Path, strconv.Itoa(i))
		}
	}
	p.raw = p.raw.With("vary", value.List(items...))
}

// static checks the options that are no templates against each other. What the
// schema finds wrong with one alone is for it to say; the others are checked
// without that one.
func (p *preparer) static() {
	object, err := schema.For[Settings]()
	if err != nil {
		p.wrong("", "", err.Error())
		return
	}
	options := value.Object()
	for _, name := range object.Names() {
		if v, ok := p.raw.Get(name); ok && !p.isDynamic(v) {
			options = options.With(name, v)
		}
	}
	var s Settings
	var alone schema.Problems
	if errors.As(object.Decode(options, &s), &alone) {
		for _, wrong := range alone {
			if len(wrong.Path) > 0 {
				options = options.Without(wrong.Path[0])
			}
		}
		s = Settings{}
		if object.Decode(options, &s) != nil {
			return
		}
	}
	_, problems := s.Policy()
	p.problems = append(p.problems, problems...)
}
