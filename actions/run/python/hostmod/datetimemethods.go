package hostmod

import (
	"time"

	"github.com/tea-agents/tea/actions/run/python/object"
)

// integers reads up to len(out) optional integers.
func integers(xs []obj, out []int) error {
	for i, x := range xs {
		n, err := intOr(x, out[i])
		if err != nil {
			return err
		}
		out[i] = n
	}
	return nil
}

func checkDate(y, m, d int) error {
	switch {
	case y < 1 || y > 9999:
		return object.ValueErrorf("year %d is out of range", y)
	case m < 1 || m > 12:
		return object.ValueErrorf("month must be in 1..12")
	case d < 1 || d > time.Date(y, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day():
		return object.ValueErrorf("day is out of range for month")
	}
	return nil
}

func checkTime(h, m, s, us int) error {
	switch {
	case h < 0 || h > 23:
		return object.ValueErrorf("hour must be in 0..23")
	case m < 0 || m > 59:
		return object.ValueErrorf("minute must be in 0..59")
	case s < 0 || s > 59:
		return object.ValueErrorf("second must be in 0..59")
	case us < 0 || us > 999999:
		return object.ValueErrorf("microsecond must be in 0..999999")
	}
	return nil
}

func buildMoment(n []int, z *zone) (*moment, error) {
	if err := checkDate(n[0], n[1], n[2]); err != nil {
		return nil, err
	}
	if err := checkTime(n[3], n[4], n[5], n[6]); err != nil {
		return nil, err
	}
	loc := time.UTC
	if z != nil {
		loc = time.FixedZone("", int(z.offset/time.Second))
	}
	return newMoment(time.Date(n[0], time.Month(n[1]), n[2], n[3], n[4], n[5], n[6]*1000, loc), z)
}

func zoneArg(x obj) (*zone, error) {
	if object.IsNone(x) {
		return nil, nil //nolint:nilnil // None is no zone
	}
	z, ok := x.(*zone)
	if !ok {
		return nil, object.TypeErrorf("tzinfo argument must be None or of a tzinfo subclass, not type '%s'", x.TypeName())
	}
	return z, nil
}

func newDatetime(_ *thread, a args) (obj, error) {
	var p [8]obj
	err := a.Bind("datetime", "year month day hour? minute? second? microsecond? tzinfo?",
		&p[0], &p[1], &p[2], &p[3], &p[4], &p[5], &p[6], &p[7])
	if err != nil {
		return nil, err
	}
	n := make([]int, 7)
	if err := integers(p[:7], n); err != nil {
		return nil, err
	}
	z, err := zoneArg(p[7])
	if err != nil {
		return nil, err
	}
	return orError(buildMoment(n, z))
}

// orError keeps a nil *moment from becoming an object.
func orError(m *moment, err error) (obj, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

func newDate(_ *thread, a args) (obj, error) {
	var p [3]obj
	if err := a.Bind("date", "year month day", &p[0], &p[1], &p[2]); err != nil {
		return nil, err
	}
	n := make([]int, 3)
	if err := integers(p[:], n); err != nil {
		return nil, err
	}
	if err := checkDate(n[0], n[1], n[2]); err != nil {
		return nil, err
	}
	return dateOf(time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)), nil
}

func datetimeNow(t *thread, a args) (obj, error) {
	var tz obj
	if err := a.Bind("now", "tz?", &tz); err != nil {
		return nil, err
	}
	z, err := zoneArg(tz)
	if err != nil {
		return nil, err
	}
	n, err := now(t)
	if err != nil {
		return nil, err
	}
	return orError(newMoment(n, z))
}

func datetimeUTCNow(t *thread, a args) (obj, error) {
	if err := a.Bind("utcnow", ""); err != nil {
		return nil, err
	}
	return datetimeNow(t, args{})
}

func datetimeToday(t *thread, a args) (obj, error) {
	if err := a.Bind("today", ""); err != nil {
		return nil, err
	}
	return datetimeNow(t, args{})
}

func dateToday(t *thread, a args) (obj, error) {
	n, err := now(t)
	if err != nil {
		return nil, err
	}
	return dateOf(n.UTC()), a.Bind("today", "")
}

func fromStamp(a args, name string) (obj, error) {
	var x, tz obj
	if err := a.Bind(name, "timestamp tz?", &x, &tz); err != nil {
		return nil, err
	}
	f, err := object.FloatArg(x)
	if err != nil {
		return nil, err
	}
	z, err := zoneArg(tz)
	if err != nil {
		return nil, err
	}
	const most = 253402300800
	if !(f > -62135596801 && f < most) {
		return nil, object.ValueErrorf("year is out of range")
	}
	d, err := seconds(f)
	if err != nil {
		return nil, err
	}
	return orError(newMoment(time.UnixMicro(int64(d.d/time.Microsecond)), z))
}

func datetimeFromTimestamp(_ *thread, a args) (obj, error) { return fromStamp(a, "fromtimestamp") }
func datetimeUTCFromTimestamp(_ *thread, a args) (obj, error) {
	return fromStamp(a, "utcfromtimestamp")
}

func datetimeCombine(*thread, args) (obj, error) {
	return nil, object.Errorf("NotImplementedError", "datetime.combine is not available here: there is no datetime.time")
}

func parseISO(s string, dateOnly bool) (*moment, error) {
	bad := object.ValueErrorf("Invalid isoformat string: %s", object.Quote(s))
	if dateOnly {
		tm, err := time.Parse("2006-01-02", s)
		if err != nil {
			return nil, bad
		}
		return dateOf(tm), nil
	}
	text := s
	if len(text) > 10 && text[10] == ' ' {
		text = text[:10] + "T" + text[11:]
	}
	for _, layout := range []string{"2006-01-02", "2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02T15"} {
		if tm, err := time.Parse(layout, text); err == nil {
			return newMoment(tm, nil)
		}
		if tm, err := time.Parse(layout+"Z07:00", text); err == nil {
			_, offset := tm.Zone()
			return newMoment(tm, &zone{time.Duration(offset) * time.Second})
		}
	}
	return nil, bad
}

func datetimeFromISO(_ *thread, a args) (obj, error) {
	s, err := bindStr(a, "fromisoformat", "date_string /")
	if err != nil {
		return nil, err
	}
	return orError(parseISO(s, false))
}

func dateFromISO(_ *thread, a args) (obj, error) {
	s, err := bindStr(a, "fromisoformat", "date_string /")
	if err != nil {
		return nil, err
	}
	return orError(parseISO(s, true))
}

func datetimeStrptime(_ *thread, a args) (obj, error) {
	var x, f obj
	if err := a.Bind("strptime", "date_string format /", &x, &f); err != nil {
		return nil, err
	}
	s, err := strArg(x, "strptime")
	if err != nil {
		return nil, err
	}
	format, err := strArg(f, "strptime")
	if err != nil {
		return nil, err
	}
	return orError(strptime(s, format))
}

func dateMethods() []object.Method {
	return []object.Method{
		object.On("strftime", func(t *thread, m *moment, a args) (obj, error) {
			f, err := bindStr(a, "strftime", "format")
			if err != nil {
				return nil, err
			}
			return strftime(t, m.tm, f, m.zone != nil)
		}),
		object.On("isoformat", func(t *thread, m *moment, a args) (obj, error) {
			var sep, spec obj = object.NewStr("T"), nil
			if err := a.Bind("isoformat", "sep? timespec?", &sep, &spec); err != nil {
				return nil, err
			}
			s, err := strArg(sep, "isoformat")
			if err != nil {
				return nil, err
			}
			if spec != nil {
				return m.precise(t, s, spec)
			}
			return object.NewStr(m.iso(s)), nil
		}),
		number("weekday", func(m *moment) int { return (int(m.tm.Weekday()) + 6) % 7 }),
		number("isoweekday", func(m *moment) int { return (int(m.tm.Weekday())+6)%7 + 1 }),
		number("toordinal", func(m *moment) int {
			return int(m.tm.Truncate(24*time.Hour).Sub(time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC))/(24*time.Hour)) + 719163
		}),
		object.On("replace", momentReplace),
		object.On("isocalendar", func(_ *thread, m *moment, a args) (obj, error) {
			y, w := m.tm.ISOWeek()
			return object.NewTuple(object.Int(y), object.Int(w), object.Int((int(m.tm.Weekday())+6)%7+1)), a.Bind("isocalendar", "")
		}),
	}
}

func (m *moment) precise(t *thread, sep string, spec obj) (obj, error) {
	layouts := map[string]string{
		"seconds": "15:04:05", "minutes": "15:04", "hours": "15", "milliseconds": "15:04:05.000", "microseconds": "15:04:05.000000",
	}
	name, _ := object.AsStr(spec)
	layout, ok := layouts[name]
	if !ok {
		return nil, object.ValueErrorf("Unknown timespec value")
	}
	s := m.tm.Format("2006-01-02") + sep + m.tm.Format(layout)
	if m.zone != nil {
		s += offsetText(m.zone.offset)
	}
	return t.Str(s)
}

func number(name string, f func(*moment) int) object.Method {
	return object.On(name, func(_ *thread, m *moment, a args) (obj, error) {
		return object.Int(f(m)), a.Bind(name, "")
	})
}

func momentReplace(_ *thread, m *moment, a args) (obj, error) {
	var p [7]obj
	var tz obj
	spec := "* year? month? day? hour? minute? second? microsecond? tzinfo?"
	if err := a.Bind("replace", spec, &p[0], &p[1], &p[2], &p[3], &p[4], &p[5], &p[6], &tz); err != nil {
		return nil, err
	}
	n := []int{m.tm.Year(), int(m.tm.Month()), m.tm.Day(), m.tm.Hour(), m.tm.Minute(), m.tm.Second(), m.tm.Nanosecond() / 1000}
	if err := integers(p[:], n); err != nil {
		return nil, err
	}
	z := m.zone
	if tz != nil {
		var err error
		if z, err = zoneArg(tz); err != nil {
			return nil, err
		}
	}
	r, err := buildMoment(n, z)
	if err != nil {
		return nil, err
	}
	r.date = m.date
	return r, nil
}

func datetimeMethods() []object.Method {
	return []object.Method{
		object.On("timestamp", func(_ *thread, m *moment, a args) (obj, error) {
			return object.Float(float64(m.tm.UnixMicro()) / 1e6), a.Bind("timestamp", "")
		}),
		object.On("date", func(_ *thread, m *moment, a args) (obj, error) { return dateOf(m.tm), a.Bind("date", "") }),
		object.On("astimezone", func(_ *thread, m *moment, a args) (obj, error) {
			var tz obj = utc()
			if err := a.Bind("astimezone", "tz?", &tz); err != nil {
				return nil, err
			}
			z, err := zoneArg(tz)
			if err != nil {
				return nil, err
			}
			if z == nil {
				z = utc()
			}
			return orError(newMoment(m.tm, z))
		}),
		object.On("utcoffset", func(_ *thread, m *moment, a args) (obj, error) {
			if m.zone == nil {
				return object.None(), a.Bind("utcoffset", "")
			}
			return &delta{m.zone.offset}, a.Bind("utcoffset", "")
		}),
	}
}
