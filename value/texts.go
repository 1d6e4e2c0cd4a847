package value

import (
	"slices"
	"strings"
)

const (
	blockSize = 1 << 10 // bytes that short strings share
	shortest  = 128     // bytes from which on a string stands alone
)

// texts makes the strings of one parsed text. Short ones stand side by side
// in blocks, which saves most allocations and bounds what a kept string holds
// on to; keys that come again are not made again. (Substrings of one copy of
// the text would be quicker still, but then a title kept from a page of 10 MB
// would keep the page.)
type texts struct {
	block strings.Builder
	keys  [32]string   // keys seen, by hash
	lists [32][]string // lists of keys seen, by hash
}

// add returns s as a string. No more than rest bytes of text come after s.
func (t *texts) add(s []byte, rest int) string {
	if len(s) >= shortest {
		return string(s)
	}
	if t.block.Cap()-t.block.Len() < len(s) {
		t.block.Reset()
		t.block.Grow(min(blockSize, len(s)+rest))
	}
	start := t.block.Len()
	t.block.Write(s)
	return t.block.String()[start:]
}

// key is add for the keys of objects, which tend to come again.
func (t *texts) key(s []byte, rest int) string {
	if len(s) == 0 {
		return ""
	}
	slot := &t.keys[(len(s)+7*int(s[0])+31*int(s[len(s)-1]))%len(t.keys)]
	if *slot != string(s) {
		*slot = t.add(s, rest)
	}
	return *slot
}

// keyList returns the keys of an object. Objects with the same keys share one
// list, like the rows of a table.
func (t *texts) keyList(members []memberKey) []string {
	if len(members) == 0 {
		return nil
	}
	first, last := members[0].key, members[len(members)-1].key
	slot := &t.lists[(len(members)+7*len(first)+31*len(last))%len(t.lists)]
	if slices.EqualFunc(*slot, members, func(k string, m memberKey) bool { return k == m.key }) {
		return *slot
	}
	list := make([]string, len(members))
	for i, m := range members {
		list[i] = m.key
	}
	*slot = list
	return list
}
