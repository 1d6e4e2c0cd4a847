package drivertest

import (
	"fmt"

	"github.com/tea-agents/tea/ltm/driver"
	"github.com/tea-agents/tea/value"
)

// where makes a query of one filter; json is its value.
func where(op driver.Op, json string, path ...string) driver.Query {
	v, err := value.Parse([]byte(json))
	if err != nil {
		panic(err)
	}
	return driver.Query{Filters: []driver.Filter{{Path: path, Op: op, Value: v}}}
}

// putMeta puts one record for each JSON text, under {"a": text}; the text is the
// key.
func (c *checker) putMeta(texts ...string) {
	for _, text := range texts {
		c.put(meta(text, fmt.Sprintf(`{"a":%s}`, text)))
	}
}

func filterRules() []rule {
	return []rule{
		{"filter/equal", "Equality is that of JSON values: exact in kind, size and text.", func(c *checker) {
			texts := []string{`"1"`, "1", "1.0", "true", "\"true\"", "null", `"null"`, "0", "false", `""`, "[]", "{}",
				"[1]", `{"b":1}`, "-1", "9007199254740993", "9007199254740992.0", "9223372036854775808",
				"9223372036854775808.0", "123456789012345678901234567890", "123456789012345678901234567891",
				`"Ä"`, `"ä"`, `"a"`, `"A"`, `"a "`, `"'"`, `"%"`, `"a\u0000b"`, `"a\u0000"`, `"日"`}
			c.putMeta(texts...)
			for _, text := range texts {
				c.finds(where(driver.Eq, text, "a"), text)
			}
			c.finds(where(driver.Eq, `"_"`, "a"))
			c.finds(where(driver.Eq, "1", "missing"))
		}},
		{"filter/in", "In selects what is equal to one of the list.", func(c *checker) {
			c.putMeta("1", `"1"`, "2", "3", "null", "2.0", `"x'y"`)
			c.finds(where(driver.In, `[1, 2, "x'y", 9]`, "a"), `"x'y"`, "1", "2")
			c.finds(where(driver.In, `[null, 2.0]`, "a"), "2.0", "null")
			c.finds(where(driver.In, `[]`, "a"))
		}},
		{"filter/compare numbers", "Numbers compare by their exact size, integers with floats.", func(c *checker) {
			c.putMeta("1", "2", "2.5", "10", "-3", "9007199254740993", "1e300", `"5"`, "null", "true")
			c.finds(where(driver.Lt, "2.5", "a"), "-3", "1", "2")
			c.finds(where(driver.Le, "2.5", "a"), "-3", "1", "2", "2.5")
			c.finds(where(driver.Gt, "9007199254740992.0", "a"), "1e300", "9007199254740993")
			c.finds(where(driver.Gt, "2", "a"), "10", "1e300", "2.5", "9007199254740993")
			c.finds(where(driver.Ge, "10", "a"), "10", "1e300", "9007199254740993")
			c.finds(where(driver.Ge, "123456789012345678901234567890", "a"), "1e300")
		}},
		{"filter/compare strings", "Strings compare by their bytes, and never with numbers.", func(c *checker) {
			c.putMeta(`"2026-01-01T00:00:00Z"`, `"2026-02-01T00:00:00Z"`, `"Z"`, `"a"`, `"ä"`, "1")
			c.finds(where(driver.Lt, `"2026-01-15T00:00:00Z"`, "a"), `"2026-01-01T00:00:00Z"`)
			c.finds(where(driver.Gt, `"Z"`, "a"), `"a"`, `"ä"`)
			c.finds(where(driver.Gt, `""`, "a"), `"2026-01-01T00:00:00Z"`, `"2026-02-01T00:00:00Z"`, `"Z"`, `"a"`, `"ä"`)
		}},
		{"filter/exists", "Exists asks for the path only; null is there.", func(c *checker) {
			c.put(meta("null", `{"a":null}`))
			c.put(meta("other", `{"b":1}`))
			c.put(meta("value", `{"a":0}`))
			c.finds(where(driver.Exists, "null", "a"), "null", "value")
			c.finds(where(driver.Eq, "null", "a"), "null")
		}},
		{"filter/nested", "A path follows objects, not lists and not text.", func(c *checker) {
			c.put(meta("deep", `{"a":{"b":{"c":1}}}`))
			c.put(meta("flat", `{"a.b.c":1}`))
			c.put(meta("list", `{"a":[{"b":{"c":1}}]}`))
			c.put(meta("text", `{"a":"{\"b\":{\"c\":1}}"}`))
			c.finds(where(driver.Eq, "1", "a", "b", "c"), "deep")
			c.finds(where(driver.Eq, "1", "a.b.c"), "flat")
			c.finds(where(driver.Exists, "null", "a", "0"))
		}},
		{"filter/awkward paths", "Every text is a key in a path.", func(c *checker) {
			keys := append([]string{"", "a.b", "[0]", "#", "#-1", `a"b`, "a]b", "$.a", "@", "\u0001"}, awkward()[:40]...)
			for _, key := range keys {
				text := value.Object(value.M(key, value.String("here"))).AppendJSON(nil)
				c.put(meta("k"+key, string(text)))
			}
			for _, key := range keys {
				c.finds(where(driver.Eq, `"here"`, key), "k"+key)
			}
		}},
		{"filter/injection", "A filter's path and value are data.", func(c *checker) {
			c.putMeta("1", "2")
			for _, text := range []string{`' OR '1'='1`, `a" OR 1=1 --`, `1); DELETE FROM entries; --`, `%`} {
				v := value.List(value.String(text)).Index(0)
				c.finds(driver.Query{Filters: []driver.Filter{{Path: []string{"a"}, Value: v}}})
				c.finds(where(driver.Exists, "null", text))
				c.finds(driver.Query{Prefix: text, Namespaces: []string{text}})
			}
			c.must(len(c.list(driver.Query{})) == 2, "records are gone")
		}},
		{"filter/all", "All filters must hold.", func(c *checker) {
			c.put(meta("both", `{"a":1,"b":"x"}`))
			c.put(meta("one", `{"a":1,"b":"y"}`))
			q := where(driver.Eq, "1", "a")
			q.Filters = append(q.Filters, where(driver.Eq, `"x"`, "b").Filters...)
			c.finds(q, "both")
		}},
		{"filter/before limit", "Filters come before the limit.", func(c *checker) {
			for i := range 50 {
				c.put(meta(fmt.Sprintf("k%02d", i), fmt.Sprintf(`{"odd":%t,"n":%d}`, i%2 == 1, i)))
			}
			q := where(driver.Eq, "true", "odd")
			q.Filters = append(q.Filters, where(driver.Gt, "40", "n").Filters...)
			q.Limit = 3
			c.finds(q, "k41", "k43", "k45")
			c.finds(driver.Query{Glob: "*9", Limit: 2}, "k09", "k19")
		}},
		{"filter/overwritten", "Filters see the present metadata.", func(c *checker) {
			c.put(meta("k", `{"a":1}`))
			c.put(meta("k", `{"a":2}`))
			c.finds(where(driver.Eq, "1", "a"))
			c.finds(where(driver.Eq, "2", "a"), "k")
		}},
	}
}
