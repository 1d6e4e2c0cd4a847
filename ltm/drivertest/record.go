package drivertest

import (
	"bytes"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

func recordRules() []rule {
	return []rule{
		{"get/missing", "Get of what is not there is ErrNotFound.", func(c *checker) {
			c.missing(user("k"))
			c.putAll("other")
			c.missing(user("k"))
		}},
		{"get/bytes", "Get returns the very bytes that were put.", func(c *checker) {
			all := make([]byte, 256)
			for i := range all {
				all[i] = byte(i)
			}
			for key, v := range map[string]string{"all": string(all), "empty": "", "zero": "\x00", "text": "'; DROP TABLE entries; --"} {
				c.put(rec(user(key), v))
				c.must(c.value(user(key)) == v, "%s came back as %q", key, c.value(user(key)))
			}
		}},
		{"get/large", "A value of 4 MiB comes back as it was.", func(c *checker) {
			v := strings.Repeat("0123456789abcdef", 4<<20/16)
			c.put(rec(user("k"), v))
			c.must(c.value(user("k")) == v, "it came back otherwise")
		}},
		{"get/metadata", "Get returns the very metadata that were put.", func(c *checker) {
			text := `{"a":{"b":[1,1.0,"1",null]},"big":123456789012345678901234567890,"q\"":"'","z":"é\u0000%"}`
			c.put(meta("k", text))
			c.must(string(c.get(user("k")).Metadata) == text, "got %s", c.get(user("k")).Metadata)
		}},
		{"get/fields", "Get returns key, times, size and a revision.", func(c *checker) {
			key := driver.Key{Space: driver.Run, Namespace: "n", Key: "k"}
			r := expiring(key, now+5)
			r.Value = []byte("12345")
			c.put(r)
			got := c.get(key)
			c.must(got.Key == key && got.CreatedAt == now && got.UpdatedAt == now && got.AccessedAt == now &&
				got.ExpiresAt == now+5 && got.Size == 5 && got.Revision > 0, "got %+v", got)
		}},
		{"get/no terms", "Terms are not returned.", func(c *checker) {
			r := rec(user("k"), "v")
			r.Terms = "some words"
			c.put(r)
			c.must(c.get(user("k")).Terms == "", "Get returns Terms")
			c.must(c.list(driver.Query{})[0].Terms == "", "List returns Terms")
		}},
		{"get/expired", "A record whose expiry is past is there until it is deleted.", func(c *checker) {
			c.put(expiring(user("k"), 1))
			c.must(c.get(user("k")).ExpiresAt == 1, "the expiry has changed")
		}},
		{"own/put", "The bytes given to Put are the caller's again afterwards.", func(c *checker) {
			r := meta("k", `{"a":1}`)
			r.Value = []byte("abc")
			c.put(r)
			r.Value[0], r.Metadata[1] = 'X', 'X'
			got := c.get(user("k"))
			c.must(string(got.Value) == "abc" && string(got.Metadata) == `{"a":1}`, "changing them changed the store")
		}},
		{"own/get", "The bytes that Get returns are the caller's.", func(c *checker) {
			c.put(meta("k", `{"a":1}`))
			want := c.get(user("k"))
			got := c.get(user("k"))
			got.Value[0], got.Metadata[0] = 'X', 'X'
			again := c.get(user("k"))
			c.must(bytes.Equal(again.Value, want.Value) && bytes.Equal(again.Metadata, want.Metadata),
				"changing them changed the store")
		}},
		{"own/list", "The bytes that List returns are the caller's.", func(c *checker) {
			c.put(meta("k", `{"a":1}`))
			c.put(meta("l", `{"a":2}`))
			records := c.list(driver.Query{})
			c.must(len(records) == 2, "List returns %d of 2", len(records))
			records[0].Value[0], records[0].Metadata[0] = 'X', 'X'
			got := c.get(user("k"))
			c.must(string(got.Value) == "v" && string(got.Metadata) == `{"a":1}`, "changing them changed the store")
			c.must(string(records[1].Value) == "v", "two records share their bytes")
		}},
	}
}

func putRules() []rule {
	return []rule{
		{"put/created", "Put tells whether it created the record.", func(c *checker) {
			c.must(c.put(rec(user("k"), "1")), "the first Put did not create")
			c.must(!c.put(rec(user("k"), "2")), "the second Put created")
			c.delete(user("k"), 0)
			c.must(c.put(rec(user("k"), "3")), "Put after Delete did not create")
		}},
		{"put/overwrite", "Put replaces value, metadata, expiry and size.", func(c *checker) {
			c.put(expiring(user("k"), now+10))
			r := meta("k", `{"new":true}`)
			r.Value = []byte("other")
			c.put(r)
			got := c.get(user("k"))
			c.must(string(got.Value) == "other" && string(got.Metadata) == `{"new":true}` &&
				got.ExpiresAt == 0 && got.Size == 5, "got %+v", got)
		}},
		{"put/times", "Overwriting keeps CreatedAt, and sets UpdatedAt and AccessedAt to the caller's time.", func(c *checker) {
			c.putAll("k")
			for _, at := range []int64{now + 7, now - 7} {
				r := rec(user("k"), "v")
				r.UpdatedAt = at
				c.put(r)
				got := c.get(user("k"))
				c.must(got.CreatedAt == now && got.UpdatedAt == at && got.AccessedAt == at, "got %+v", got)
			}
		}},
		{"put/over expired", "Put over an expired record creates one.", func(c *checker) {
			c.put(expiring(user("k"), now+5))
			r := rec(user("k"), "v")
			r.UpdatedAt = now + 4
			r.ExpiresAt = now + 5
			c.must(!c.put(r), "it was created 1 ms before the expiry")
			r.UpdatedAt = now + 5
			c.must(c.put(r), "it was not created at the expiry")
			c.must(c.get(user("k")).CreatedAt == now+5, "CreatedAt is %d", c.get(user("k")).CreatedAt)
		}},
		{"put/revision rises", "Each Put gives a higher revision than any before.", func(c *checker) {
			last := int64(0)
			for _, key := range []string{"a", "b", "a", "a", "b"} {
				c.putAll(key)
				got := c.get(user(key)).Revision
				c.must(got > last, "revision %d follows %d", got, last)
				last = got
			}
		}},
		{"put/revision is new", "A revision does not return after a Delete.", func(c *checker) {
			c.putAll("k")
			first := c.get(user("k")).Revision
			c.delete(user("k"), 0)
			c.putAll("k")
			c.must(c.get(user("k")).Revision > first, "it is %d again", first)
		}},
		{"put/others stay", "Put leaves every other record as it is.", func(c *checker) {
			c.putAll("a", "c")
			before := c.get(user("a"))
			c.putAll("b")
			c.put(rec(cached("", "a"), "other"))
			c.must(c.get(user("a")).Revision == before.Revision && c.value(user("a")) == "v", "it has changed")
		}},
	}
}
