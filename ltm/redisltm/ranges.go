package redisltm

import (
	"slices"
	"strings"

	"github.com/tea-agents/tea/ltm/driver"
)

// span is a part of the index: the members from begin on and before end.
type span struct{ begin, end string }

// reversed is in which direction spans are read.
type direction bool

const (
	forward  direction = false
	backward direction = true
)

// spans returns where the index has the records whose member begins with head,
// as far as the query's namespaces and keys tell, in the order of the index.
func spans(q *driver.Query, head string) []span {
	if q.Namespaces == nil {
		begin := head + escape(q.NamespacePrefix)
		return []span{{begin, begin + last}}
	}
	prefix := keyPrefix(q)
	var all []span
	for _, name := range namespaces(q) {
		begin := head + idOf(name, prefix)
		all = append(all, span{begin, begin + last})
	}
	return all
}

// namespaces returns those that a query names and wants, in their order.
func namespaces(q *driver.Query) []string {
	names := slices.DeleteFunc(slices.Clone(q.Namespaces), func(name string) bool {
		return !strings.HasPrefix(name, q.NamespacePrefix)
	})
	slices.Sort(names)
	return slices.Compact(names)
}

// keyPrefix returns how every key that the query selects begins.
func keyPrefix(q *driver.Query) string {
	head, _, _ := strings.Cut(q.Glob, "*")
	if len(head) > len(q.Prefix) {
		return head
	}
	return q.Prefix
}

// timeSpan returns where the index has the records that an order by time
// lists. It knows only one condition: on the expiry, where that is the order.
func timeSpan(q *driver.Query) []span {
	letter := lane(q.Order)
	sp := span{letter, letter + last}
	if q.Order == driver.ByExpiry {
		if q.ExpiredBy != 0 {
			sp.end = timeHead(letter, q.ExpiredBy) + last
		}
		if q.LiveAt != 0 {
			sp.begin = timeHead(letter, q.LiveAt) + last
		}
	}
	return []span{sp}
}

// after leaves out what does not follow a member, in the given direction.
func after(all []span, d direction, member string) []span {
	var left []span
	for _, sp := range all {
		if d == backward {
			sp.end = min(sp.end, member)
		} else {
			sp.begin = max(sp.begin, member+"\x00")
		}
		if sp.begin < sp.end {
			left = append(left, sp)
		}
	}
	return left
}

// place returns the member of the index at a place in the order of q.
func place(q *driver.Query, head string, p *driver.Position) string {
	if letter := lane(q.Order); letter != laneKey {
		head = timeHead(letter, p.At)
	}
	return head + idOf(p.Namespace, p.Key)
}
