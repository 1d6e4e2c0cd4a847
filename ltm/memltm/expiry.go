package memltm

import (
	"container/heap"
	"slices"

	"github.com/tea-agents/tea/ltm/driver"
)

// expiry notes when one revision of a record expires.
type expiry struct {
	at  int64
	ref driver.Ref
}

// expiries is a queue by expiry, the oldest first (container/heap). It still
// holds revisions that are gone; these are skipped when they come up, and dropped
// when they become many.
type expiries []expiry

func (q expiries) Len() int           { return len(q) }
func (q expiries) Less(i, j int) bool { return q[i].at < q[j].at }
func (q expiries) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }

// Push implements heap.Interface.
func (q *expiries) Push(x any) { *q = append(*q, x.(expiry)) }

// Pop implements heap.Interface.
func (q *expiries) Pop() any {
	last := len(*q) - 1
	e := (*q)[last]
	(*q)[last] = expiry{}
	*q = (*q)[:last]
	return e
}

// keep drops what is no longer true.
func (q *expiries) keep(current func(driver.Ref) bool) {
	*q = slices.DeleteFunc(*q, func(e expiry) bool { return !current(e.ref) })
	heap.Init(q)
}
