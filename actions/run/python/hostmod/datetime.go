package hostmod

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/tea-agents/tea/actions/run/python/object"
)

// now reads the run's clock.
func now(t *thread) (time.Time, error) {
	if t.Host.Now == nil {
		return time.Time{}, object.Errorf("RuntimeError", "there is no clock here")
	}
	return t.Host.Now().Truncate(time.Microsecond), nil
}

func timeModule() *object.Module {
	clock := func(name string, make func(time.Time) obj) fn {
		return func(t *thread, a args) (obj, error) {
			n, err := now(t)
			if err != nil {
				return nil, err
			}
			return make(n), a.Bind(name, "")
		}
	}
	seconds := func(n time.Time) obj { return object.Float(float64(n.UnixMicro()) / 1e6) }
	nanos := func(n time.Time) obj { return object.Int(n.UnixNano()) }
	return module("time", map[string]fn{
		"time": clock("time", seconds), "monotonic": clock("monotonic", seconds), "perf_counter": clock("perf_counter", seconds),
		"time_ns": clock("time_ns", nanos), "sleep": timeSleep, "strftime": timeStrftime,
	}, nil)
}

func timeSleep(*thread, args) (obj, error) {
	return nil, object.Errorf("RuntimeError", "time.sleep is not available in the embedded Python").
		WithHint("use the node's `retry.delay`, or `language: python3`")
}

func timeStrftime(t *thread, a args) (obj, error) {
	s, err := bindStr(a, "strftime", "format")
	if err != nil {
		return nil, err
	}
	n, err := now(t)
	if err != nil {
		return nil, err
	}
	return strftime(t, n.UTC(), s, true)
}

func datetimeModule() *object.Module {
	return module("datetime", nil, map[string]obj{
		"datetime": object.Type("datetime.datetime"), "date": object.Type("datetime.date"),
		"timedelta": object.Type("datetime.timedelta"), "timezone": object.Type("datetime.timezone"), "UTC": utc(),
	})
}

// zone is a timezone of fixed offset.
type zone struct{ offset time.Duration }

func utc() *zone { return &zone{} }

// TypeName implements object.Object.
func (*zone) TypeName() string { return "datetime.timezone" }

// HashKey implements object.Hasher.
func (z *zone) HashKey() object.Key { return object.HostKey("timezone", z.offset.String()) }

// Str implements object.Strer.
func (z *zone) Str() string {
	if z.offset == 0 {
		return "UTC"
	}
	return "UTC" + offsetText(z.offset)
}

// Repr implements object.Reprer.
func (z *zone) Repr(*object.Thread) (string, error) {
	if z.offset == 0 {
		return "datetime.timezone.utc", nil
	}
	return "datetime.timezone(" + (&delta{z.offset}).repr() + ")", nil
}

func offsetText(d time.Duration) string {
	sign := '+'
	if d < 0 {
		sign, d = '-', -d
	}
	return fmt.Sprintf("%c%02d:%02d", sign, int(d.Hours()), int(d.Minutes())%60)
}

func newTimezone(_ *thread, a args) (obj, error) {
	var d, name obj
	if err := a.Bind("timezone", "offset name?", &d, &name); err != nil {
		return nil, err
	}
	x, ok := d.(*delta)
	if !ok || x.d <= -24*time.Hour || x.d >= 24*time.Hour {
		return nil, object.ValueErrorf("offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24)")
	}
	return &zone{x.d}, nil
}

// moment is a datetime, or a date. Without a zone its time is in UTC.
type moment struct {
	tm   time.Time
	zone *zone // nil: naive
	date bool
}

// TypeName implements object.Object.
func (m *moment) TypeName() string {
	if m.date {
		return "datetime.date"
	}
	return "datetime.datetime"
}

func newMoment(tm time.Time, z *zone) (*moment, error) {
	if y := tm.Year(); y < 1 || y > 9999 {
		return nil, object.Errorf("OverflowError", "date value out of range")
	}
	if z != nil {
		tm = tm.In(time.FixedZone("", int(z.offset/time.Second)))
	} else {
		tm = tm.UTC()
	}
	return &moment{tm: tm.Truncate(time.Microsecond), zone: z}, nil
}

func dateOf(tm time.Time) *moment {
	y, mo, d := tm.Date()
	return &moment{tm: time.Date(y, mo, d, 0, 0, 0, 0, time.UTC), date: true}
}

// HashKey implements object.Hasher.
func (m *moment) HashKey() object.Key {
	return object.HostKey(m.TypeName(), fmt.Sprint(m.tm.UnixMicro(), m.zone != nil))
}

// Compare implements object.Comparer.
func (m *moment) Compare(other obj) (int, bool) {
	o, ok := other.(*moment)
	if !ok || o.date != m.date || (o.zone == nil) != (m.zone == nil) {
		return 0, false
	}
	return m.tm.Compare(o.tm), true
}

// Str implements object.Strer.
func (m *moment) Str() string { return m.iso(" ") }

func (m *moment) iso(sep string) string {
	if m.date {
		return m.tm.Format("2006-01-02")
	}
	s := m.tm.Format("2006-01-02" + sep + "15:04:05")
	if us := m.tm.Nanosecond() / 1000; us != 0 {
		s += fmt.Sprintf(".%06d", us)
	}
	if m.zone != nil {
		s += offsetText(m.zone.offset)
	}
	return s
}

// Repr implements object.Reprer.
func (m *moment) Repr(t *object.Thread) (string, error) {
	y, mo, d := m.tm.Date()
	if m.date {
		return fmt.Sprintf("datetime.date(%d, %d, %d)", y, mo, d), nil
	}
	s := fmt.Sprintf("datetime.datetime(%d, %d, %d, %d, %d", y, mo, d, m.tm.Hour(), m.tm.Minute())
	us := m.tm.Nanosecond() / 1000
	if m.tm.Second() != 0 || us != 0 {
		s += fmt.Sprintf(", %d", m.tm.Second())
	}
	if us != 0 {
		s += fmt.Sprintf(", %d", us)
	}
	if m.zone != nil {
		z, err := m.zone.Repr(t)
		if err != nil {
			return "", err
		}
		s += ", tzinfo=" + z
	}
	return s + ")", nil
}

// Format implements object.Formatter.
func (m *moment) Format(spec string) (string, error) { return m.strftime(spec) }

// Attr implements object.Attributer.
func (m *moment) Attr(t *object.Thread, name string) (obj, bool, error) {
	n, ok := map[string]int{
		"year": m.tm.Year(), "month": int(m.tm.Month()), "day": m.tm.Day(), "hour": m.tm.Hour(),
		"minute": m.tm.Minute(), "second": m.tm.Second(), "microsecond": m.tm.Nanosecond() / 1000,
	}[name]
	switch {
	case ok && (!m.date || name == "year" || name == "month" || name == "day"):
		return object.Int(n), true, nil
	case name == "tzinfo" && !m.date:
		if m.zone == nil {
			return object.None(), true, nil
		}
		return m.zone, true, nil
	}
	method, ok := t.World.Method(m.TypeName(), name)
	return &object.Bound{Self: m, Method: method}, ok, nil
}

// AttrNames implements object.AttrNamer.
func (m *moment) AttrNames() []string {
	return []string{"year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo"}
}

// Binary implements object.Operand.
func (m *moment) Binary(_ *object.Thread, op object.Op, other obj, reflected bool) (obj, bool, error) {
	switch o := other.(type) {
	case *delta:
		d := o.d
		if op == object.Sub && !reflected {
			d = -d
		} else if op != object.Add {
			return nil, false, nil
		}
		if m.date {
			r, err := newMoment(m.tm.AddDate(0, 0, int(math.Floor(float64(d)/float64(24*time.Hour)))), nil)
			if err != nil {
				return nil, true, err
			}
			r.date = true
			return r, true, nil
		}
		r, err := newMoment(m.tm.Add(d), m.zone)
		return r, true, err
	case *moment:
		if op != object.Sub || reflected || m.date != o.date {
			return nil, false, nil
		}
		if (m.zone == nil) != (o.zone == nil) {
			return nil, true, object.TypeErrorf("can't subtract offset-naive and offset-aware datetimes")
		}
		secs := m.tm.Unix() - o.tm.Unix()
		d, err := seconds(float64(secs))
		if err != nil {
			return nil, true, err
		}
		d.d += time.Duration(m.tm.Nanosecond() - o.tm.Nanosecond())
		return d, true, nil
	}
	return nil, false, nil
}

// delta is a timedelta. It spans at most 292 years.
type delta struct{ d time.Duration }

// TypeName implements object.Object.
func (*delta) TypeName() string { return "datetime.timedelta" }

func seconds(s float64) (*delta, error) {
	us := math.RoundToEven(s * 1e6)
	if math.IsNaN(us) || math.Abs(us) > 9.2e15 {
		return nil, object.Errorf("OverflowError", "a timedelta spans at most 292 years here")
	}
	return &delta{time.Duration(us) * time.Microsecond}, nil
}

func newTimedelta(_ *thread, a args) (obj, error) {
	units := []float64{86400, 1, 1e-6, 1e-3, 60, 3600, 7 * 86400}
	var parts [7]obj
	err := a.Bind("timedelta", "days? seconds? microseconds? milliseconds? minutes? hours? weeks?",
		&parts[0], &parts[1], &parts[2], &parts[3], &parts[4], &parts[5], &parts[6])
	if err != nil {
		return nil, err
	}
	var total time.Duration
	for i, p := range parts {
		if p == nil {
			continue
		}
		f, err := object.FloatArg(p)
		if err != nil {
			return nil, err
		}
		d, err := seconds(f * units[i])
		if err != nil {
			return nil, err
		}
		sum := total + d.d
		if (sum > total) != (d.d > 0) && d.d != 0 {
			return nil, object.Errorf("OverflowError", "a timedelta spans at most 292 years here")
		}
		total = sum
	}
	return &delta{total}, nil
}

func (x *delta) split() (days, secs, micros int64) {
	us := int64(x.d / time.Microsecond)
	const day = 86400 * 1_000_000
	days = us / day
	if us%day < 0 {
		days--
	}
	us -= days * day
	return days, us / 1_000_000, us % 1_000_000
}

// Truth tells whether the delta is not zero.
func (x *delta) Truth() bool { return x.d != 0 }

// Negate implements object.Negater.
func (x *delta) Negate() obj { return &delta{-x.d} }

// HashKey implements object.Hasher.
func (x *delta) HashKey() object.Key { return object.HostKey("timedelta", x.d.String()) }

// Compare implements object.Comparer.
func (x *delta) Compare(other obj) (int, bool) {
	o, ok := other.(*delta)
	if !ok {
		return 0, false
	}
	return cmp.Compare(x.d, o.d), true
}

// Str implements object.Strer.
func (x *delta) Str() string {
	days, secs, us := x.split()
	s := fmt.Sprintf("%d:%02d:%02d", secs/3600, secs/60%60, secs%60)
	if us != 0 {
		s += fmt.Sprintf(".%06d", us)
	}
	if days != 0 {
		unit := "days"
		if days == 1 || days == -1 {
			unit = "day"
		}
		s = fmt.Sprintf("%d %s, %s", days, unit, s)
	}
	return s
}

func (x *delta) repr() string {
	days, secs, us := x.split()
	s := ""
	for _, p := range []struct {
		name string
		n    int64
	}{{"days", days}, {"seconds", secs}, {"microseconds", us}} {
		if p.n == 0 {
			continue
		}
		if s != "" {
			s += ", "
		}
		s += fmt.Sprintf("%s=%d", p.name, p.n)
	}
	if s == "" {
		s = "0"
	}
	return "datetime.timedelta(" + s + ")"
}

// Repr implements object.Reprer.
func (x *delta) Repr(*object.Thread) (string, error) { return x.repr(), nil }

// Attr implements object.Attributer.
func (x *delta) Attr(t *object.Thread, name string) (obj, bool, error) {
	days, secs, us := x.split()
	switch name {
	case "days":
		return object.Int(days), true, nil
	case "seconds":
		return object.Int(secs), true, nil
	case "microseconds":
		return object.Int(us), true, nil
	}
	m, ok := t.World.Method("datetime.timedelta", name)
	return &object.Bound{Self: x, Method: m}, ok, nil
}

// AttrNames implements object.AttrNamer.
func (*delta) AttrNames() []string {
	return []string{"days", "seconds", "microseconds", "total_seconds"}
}

// Binary implements object.Operand.
func (x *delta) Binary(_ *object.Thread, op object.Op, other obj, reflected bool) (obj, bool, error) {
	if o, ok := other.(*delta); ok {
		switch op {
		case object.Add:
			return &delta{x.d + o.d}, true, nil
		case object.Sub:
			return &delta{x.d - o.d}, true, nil
		case object.Div, object.FloorDiv:
			if o.d == 0 {
				return nil, true, object.Errorf("ZeroDivisionError", "division by zero")
			}
			q := float64(x.d) / float64(o.d)
			if op == object.FloorDiv {
				return object.Int(math.Floor(q)), true, nil
			}
			return object.Float(q), true, nil
		}
		return nil, false, nil
	}
	f, ok := object.AsFloat(other)
	switch {
	case !ok:
		return nil, false, nil
	case op == object.Mul:
		d, err := seconds(x.d.Seconds() * f)
		return d, true, err
	case (op == object.Div || op == object.FloorDiv) && !reflected:
		if f == 0 {
			return nil, true, object.Errorf("ZeroDivisionError", "division by zero")
		}
		d, err := seconds(x.d.Seconds() / f)
		return d, true, err
	}
	return nil, false, nil
}

func totalSeconds(_ *thread, x *delta, a args) (obj, error) {
	return object.Float(float64(x.d/time.Microsecond) / 1e6), a.Bind("total_seconds", "")
}
