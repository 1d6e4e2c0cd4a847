package cache

import (
	"errors"
	"time"

	"github.com/tea-agents/tea/internal/schema"
	"github.com/tea-agents/tea/value"
)

// reader turns settings into a policy and collects what is wrong with them.
type reader struct {
	problems schema.Problems
}

func (r *reader) wrong(option, hint, message string) {
	r.problems = append(r.problems, schema.Problem{
		Path: []string{option}, Code: codeCache, Message: message, Hint: hint,
	})
}

// codeCache is the code of problems that the schema alone cannot find.
const codeCache = "cache_option"

func (r *reader) key(s KeySettings) KeyPolicy {
	p := KeyPolicy{
		Strategy:      Strategy(s.KeyStrategy),
		Custom:        Operand{Value: s.Key.Value, Err: s.Key.Err},
		Source:        Operand{Value: s.KeySource.Value, Err: s.KeySource.Err},
		SourceIsValue: s.KeySourceIs == "value",
		Args:          r.args(s),
		Vary:          s.Vary,
		Version:       s.Version,
		Namespace:     s.Namespace,
		Shared:        !s.KeyPrefix,
	}
	if p.Strategy == "" {
		p.Strategy = ByArgs
		if s.Key.Set || given(s.Key) {
			p.Strategy = ByCustom
		}
	}
	if s.KeySource.Set && !given(s.KeySource) {
		p.Source.Err = errors.New("it is null; a missing value never becomes a key")
	}
	if s.KeySourceIs == "" && p.Strategy == BySHA256 {
		kind := s.KeySource.Value.Kind()
		p.SourceIsValue = kind != value.KindString && kind != value.KindNull
	}
	r.checkStrategy(p.Strategy, s)
	switch {
	case s.Namespace == "*":
		r.wrong("namespace", "", `"*" is no namespace to store in`)
	case s.Namespace != "" && p.Shared:
		r.wrong("key_prefix", "leave one out", "key_prefix: false drops the namespace that is given too")
	}
	return p
}

// given tells whether an option has a value, or should have had one.
func given(o schema.Rendered) bool { return o.Err != nil || !o.Value.IsNull() }

// checkStrategy finds options that the strategy has no use for.
func (r *reader) checkStrategy(strategy Strategy, s KeySettings) {
	if (s.Key.Set || given(s.Key)) && strategy != ByCustom {
		r.keyImplies(strategy)
	}
	if given(s.KeySource) && strategy != BySHA256 && strategy != ByFile {
		r.wrong("key_source", "", "the strategy "+string(strategy)+" has no use for key_source")
	}
	if s.KeySourceIs == "value" && strategy == ByFile {
		r.wrong("key_source_is", "", "the strategy file_content takes the name of an argument")
	}
	if strategy == ByCustom && (!s.KeyArgs.IsNull() || len(s.IgnoreArgs) > 0) {
		r.wrong("key_strategy", "put them into key", "no arguments take part in a custom key")
	}
}

func (r *reader) keyImplies(other Strategy) {
	r.wrong("key_strategy", "leave one out", "key implies the strategy custom, not "+string(other))
}

// args reads key_args and ignore_args.
func (r *reader) args(s KeySettings) ArgSelection {
	sel := ArgSelection{Ignore: s.IgnoreArgs}
	if s.KeyArgs.IsNull() {
		return sel
	}
	if len(s.IgnoreArgs) > 0 {
		r.wrong("ignore_args", "leave one out", "key_args already says which arguments take part")
	}
	if s.KeyArgs.Text() == "none" {
		return ArgSelection{None: true}
	}
	for _, name := range s.KeyArgs.Items() {
		if text, ok := name.AsString(); ok {
			sel.Only = append(sel.Only, text)
		}
	}
	if len(sel.Only) == 0 || len(sel.Only) != s.KeyArgs.Len() {
		r.wrong("key_args", "write key_args: none for no argument", "want a list of names, or none")
	}
	return sel
}

// ttl reads the lifetime.
func (r *reader) ttl(s TTLSettings) time.Duration {
	counted := []struct {
		option string
		number *int64
		unit   time.Duration
	}{
		{"ttl_seconds", s.TTLSeconds, time.Second},
		{"ttl_hours", s.TTLHours, time.Hour},
		{"ttl_days", s.TTLDays, day},
	}
	ttl, found := DefaultTTL, false
	for _, c := range counted {
		if c.number == nil {
			continue
		}
		if s.TTL != "" {
			r.wrong("ttl", "leave one out", "both ttl and "+c.option+" are given")
		}
		d, ok := times(*c.number, c.unit)
		r.checkTTL(c.option, d, ok)
		if !found {
			ttl, found = d, true
		}
	}
	if s.TTL == "" {
		return ttl
	}
	d, ok := parseTTL(s.TTL)
	r.checkTTL("ttl", d, ok)
	return d
}

func (r *reader) checkTTL(option string, d time.Duration, ok bool) {
	switch {
	case !ok && option == "ttl":
		r.wrong(option, "", `want a duration such as 90m or 30d, or never`)
	case !ok:
		r.wrong(option, "write ttl: never", "longer than a lifetime can be")
	case d < 0:
		r.wrong(option, "0 stores nothing", "a lifetime cannot be negative")
	}
}

// failures reads how long which failures are stored.
func (r *reader) failures(s FailureSettings) (ttl time.Duration, codes []string) {
	codes = s.NegativeCodes
	switch {
	case s.NegativeTTL != nil:
		ttl = *s.NegativeTTL
	case len(codes) > 0:
		r.wrong("negative_codes", "say how long with negative_ttl", "without negative_ttl no failure is stored")
	}
	if ttl > 0 && len(codes) == 0 {
		codes = []string{codeNotFound}
	}
	return ttl, codes
}

// mode reads what the cache may do, and whether the settings say so at all.
func (r *reader) mode(s ModeSettings) (mode Mode, explicit bool) {
	mode = Both
	if s.Mode != "" {
		m, err := ParseMode(s.Mode)
		if err != nil {
			r.wrong("mode", "", err.Error())
		}
		mode = m
	}
	if s.SkipCache != nil && *s.SkipCache {
		if mode == Require {
			r.wrong("skip_cache", "leave one out", "mode: require asks for a stored result, skip_cache for a fresh one")
		}
		mode = mode.within(Write)
	}
	if s.CacheEnabled != nil && !*s.CacheEnabled {
		mode = Off
	}
	return mode, s.Mode != "" || s.SkipCache != nil || s.CacheEnabled != nil
}
