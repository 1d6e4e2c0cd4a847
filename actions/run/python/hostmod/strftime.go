package hostmod

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tea-agents/tea/actions/run/python/object"
)

func strftime(t *thread, tm time.Time, format string, aware bool) (obj, error) {
	s, err := (&moment{tm: tm, zone: zoneIf(tm, aware)}).strftime(format)
	if err != nil {
		return nil, err
	}
	return t.Str(s)
}

func zoneIf(tm time.Time, aware bool) *zone {
	if !aware {
		return nil
	}
	_, offset := tm.Zone()
	return &zone{time.Duration(offset) * time.Second}
}

// directives that Go's layouts know.
func layoutOf(c byte) string {
	return map[byte]string{
		'Y': "2006", 'm': "01", 'd': "02", 'H': "15", 'M': "04", 'S': "05", 'y': "06", 'b': "Jan", 'B': "January",
		'h': "Jan", 'a': "Mon", 'A': "Monday", 'p': "PM", 'I': "03", 'F': "2006-01-02", 'T': "15:04:05", 'D': "01/02/06",
		'R': "15:04", 'c': "Mon Jan _2 15:04:05 2006", 'x': "01/02/06", 'X': "15:04:05", 'e': "_2",
	}[c]
}

func (m *moment) strftime(format string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		c := format[i]
		if c == '-' && i+1 < len(format) {
			i++
			text := strings.TrimLeft(m.tm.Format(layoutOf(format[i])), "0 ")
			if text == "" {
				text = "0"
			}
			b.WriteString(text)
			continue
		}
		if layout := layoutOf(c); layout != "" {
			b.WriteString(m.tm.Format(layout))
			continue
		}
		text, ok := m.directive(c)
		if !ok {
			return "", object.ValueErrorf("strftime: the directive %%%c is not supported here", c)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (m *moment) directive(c byte) (string, bool) {
	_, week := m.tm.ISOWeek()
	year, _ := m.tm.ISOWeek()
	yday, wday := m.tm.YearDay(), int(m.tm.Weekday())
	switch c {
	case '%':
		return "%", true
	case 'f':
		return fmt.Sprintf("%06d", m.tm.Nanosecond()/1000), true
	case 'j':
		return fmt.Sprintf("%03d", yday), true
	case 'w':
		return strconv.Itoa(wday), true
	case 'u':
		return strconv.Itoa((wday+6)%7 + 1), true
	case 'V':
		return fmt.Sprintf("%02d", week), true
	case 'G':
		return strconv.Itoa(year), true
	case 'U':
		return fmt.Sprintf("%02d", (yday-1+7-wday)/7), true
	case 'W':
		return fmt.Sprintf("%02d", (yday-1+7-(wday+6)%7)/7), true
	case 's':
		return strconv.FormatInt(m.tm.Unix(), 10), true
	case 'z':
		if m.zone == nil {
			return "", true
		}
		return strings.ReplaceAll(offsetText(m.zone.offset), ":", ""), true
	case 'Z':
		if m.zone == nil {
			return "", true
		}
		return m.zone.Str(), true
	}
	return "", false
}

// strptime translates the format to Go's layout.
func strptime(s, format string) (*moment, error) { //nolint:cyclop // a scanner: one case for each directive
	var layout strings.Builder
	aware := false
	for i := 0; i < len(format); i++ {
		c := format[i]
		if c != '%' || i+1 == len(format) {
			if c >= '0' && c <= '9' || c == '_' {
				return nil, object.ValueErrorf("strptime: digits between directives are not supported here")
			}
			layout.WriteByte(c)
			continue
		}
		i++
		switch c := format[i]; {
		case c == 'f':
			text := strings.TrimSuffix(layout.String(), ".")
			if text == layout.String() {
				return nil, object.ValueErrorf("strptime: %%f must follow a point here")
			}
			layout.WriteString("999999")
		case c == 'z':
			aware = true
			layout.WriteString("Z0700")
			if strings.Contains(s, ":") && len(s) > 6 && s[len(s)-3] == ':' && strings.LastIndexAny(s, "+-") == len(s)-6 {
				text := strings.TrimSuffix(layout.String(), "Z0700")
				layout.Reset()
				layout.WriteString(text + "Z07:00")
			}
		case c == '%':
			layout.WriteByte('%')
		case c == 'm', c == 'd', c == 'I':
			layout.WriteString(strings.TrimPrefix(layoutOf(c), "0"))
		case layoutOf(c) != "" && c != 'e' && c != 'c':
			layout.WriteString(layoutOf(c))
		default:
			return nil, object.ValueErrorf("'%c' is a bad directive in format %s", c, object.Quote(format))
		}
	}
	tm, err := time.Parse(layout.String(), s)
	if err != nil {
		return nil, object.ValueErrorf("time data %s does not match format %s", object.Quote(s), object.Quote(format))
	}
	if tm.Year() == 0 {
		tm = tm.AddDate(1900, 0, 0)
	}
	return newMoment(tm, zoneIf(tm, aware))
}
