package drivertest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tea-agents/tea/ltm/driver"
)

// checker is a store with methods that end the check when something is wrong.
// They must be called by the check's own goroutine.
type checker struct {
	ctx context.Context
	driver.Store
}

func (c *checker) fail(format string, args ...any) {
	panic(violation(fmt.Sprintf(format, args...)))
}

func (c *checker) must(ok bool, format string, args ...any) {
	if !ok {
		c.fail(format, args...)
	}
}

func (c *checker) ok(err error) {
	if err != nil {
		c.fail("unexpected error: %v", err)
	}
}

func (c *checker) is(err, want error) {
	c.must(errors.Is(err, want), "got the error %v, want %v", err, want)
}

// now is the time of most records.
const now = 1_700_000_000_000

// user returns a key of the user space's default namespace.
func user(key string) driver.Key { return driver.Key{Key: key} }

func cached(namespace, key string) driver.Key {
	return driver.Key{Space: driver.Cache, Namespace: namespace, Key: key}
}

// rec returns a record put at now.
func rec(key driver.Key, v string) driver.Record {
	return driver.Record{Key: key, Value: []byte(v), Metadata: []byte("{}"), UpdatedAt: now}
}

// expiring returns a record that expires.
func expiring(key driver.Key, at int64) driver.Record {
	r := rec(key, "v")
	r.ExpiresAt = at
	return r
}

// meta returns a record with metadata.
func meta(key, json string) driver.Record {
	r := rec(user(key), "v")
	r.Metadata = []byte(json)
	return r
}

func (c *checker) put(r driver.Record) (created bool) {
	created, err := c.Put(c.ctx, r, driver.Condition{})
	c.ok(err)
	return created
}

// putAll puts records with these keys in the user space.
func (c *checker) putAll(keys ...string) {
	for _, key := range keys {
		c.put(rec(user(key), "v"))
	}
}

func (c *checker) get(key driver.Key) driver.Record {
	r, err := c.Get(c.ctx, key)
	if err != nil {
		c.fail("Get %.60q: %v", key.Key, err)
	}
	return r
}

func (c *checker) value(key driver.Key) string { return string(c.get(key).Value) }

func (c *checker) missing(key driver.Key) {
	_, err := c.Get(c.ctx, key)
	c.is(err, driver.ErrNotFound)
}

func (c *checker) delete(key driver.Key, revision int64) bool {
	deleted, err := c.Delete(c.ctx, key, revision)
	c.ok(err)
	return deleted
}

// list lists with a limit of 1,000 unless q has one.
func (c *checker) list(q driver.Query) []driver.Record {
	if q.Limit == 0 {
		q.Limit = 1000
	}
	records, err := c.List(c.ctx, q)
	c.ok(err)
	return records
}

// finds checks the keys that q lists, in order.
func (c *checker) finds(q driver.Query, want ...string) {
	got := keysOf(c.list(q))
	c.must(slices.Equal(got, want), "%+v\nlists %.60q\nwant  %.60q", q, got, want)
}

func keysOf(records []driver.Record) []string {
	keys := []string{}
	for _, r := range records {
		keys = append(keys, r.Key.Key)
	}
	return keys
}
