package object

// How memory is bounded.
//
// Every allocation is charged before it is made. The sum alone would also count
// what has long become garbage, so when it passes the limit, the live data is
// measured: everything that variables reach, plus whatever the statements now
// running have allocated, which may sit in a half-evaluated expression where no
// variable reaches it. Only when that is too much, the run fails.

// Rough sizes in bytes.
const (
	slotSize  = 24  // an element of a list
	entrySize = 112 // an entry of a dictionary or set
	headSize  = 64  // an object
)

// Frame is what the memory bound must know of an active call.
type Frame interface {
	// Roots calls visit for every value that the frame's variables hold.
	Roots(visit func(Object))
}

type memory struct {
	max    int64
	used   int64 // charged since the last measure, plus what was live then
	total  int64 // charged ever
	frames []activeFrame
}

type activeFrame struct {
	frame   Frame
	pending int64 // charged by the statement that the frame is running
	start   int64 // total at the call
}

// Alloc charges n bytes, and fails when the run holds too much.
func (t *Thread) Alloc(n int64) error {
	m := &t.mem
	if n < 0 || n > m.max {
		return t.memoryError()
	}
	m.used += n
	m.total += n
	if len(m.frames) > 0 {
		m.frames[len(m.frames)-1].pending += n
	}
	if m.used > m.max {
		return t.measure()
	}
	return nil
}

// AllocN charges count elements of size bytes each.
func (t *Thread) AllocN(count, size int) error {
	if size > 0 && int64(count) > t.mem.max/int64(size) {
		return t.memoryError()
	}
	return t.Alloc(int64(count) * int64(size))
}

// Room is how many elements of size bytes a run could hold at all.
func (t *Thread) Room(size int) int { return int(t.mem.max / int64(max(size, 1))) }

func (t *Thread) memoryError() error {
	return &Exception{
		Kind: "MemoryError", Fatal: true,
		Args: []Object{NewStr("the code needs too much memory (limit " + Int(t.mem.max>>20).text() + " MiB)")},
		Hint: "use `language: python3` for data of that size",
	}
}

// PushFrame registers a frame for the duration of a call.
func (t *Thread) PushFrame(f Frame) {
	t.mem.frames = append(t.mem.frames, activeFrame{frame: f, start: t.mem.total})
}

// PopFrame ends what PushFrame began. What the call returns stays charged to
// the statement that called.
func (t *Thread) PopFrame(result Object) {
	m := &t.mem
	last := m.frames[len(m.frames)-1]
	m.frames[len(m.frames)-1] = activeFrame{}
	m.frames = m.frames[:len(m.frames)-1]
	if len(m.frames) == 0 {
		return
	}
	kept := m.total - last.start
	if kept > m.max/64 {
		s := sizer{seen: map[Object]struct{}{}}
		s.visit(result)
		kept = min(kept, s.sum)
	}
	m.frames[len(m.frames)-1].pending += kept
}

// Statement tells that the current frame begins a new statement: what the last
// one allocated is now held by variables, or garbage.
func (t *Thread) Statement() error {
	if n := len(t.mem.frames); n > 0 {
		t.mem.frames[n-1].pending = 0
	}
	return t.Step(1)
}

// measure replaces the sum of charges by what is really held.
func (t *Thread) measure() error {
	s := sizer{seen: map[Object]struct{}{}}
	for _, f := range t.mem.frames {
		f.frame.Roots(s.visit)
		s.sum += f.pending
	}
	if err := t.Step(uint64(len(s.seen))); err != nil {
		return err
	}
	t.mem.used = s.sum
	if s.sum > t.mem.max {
		return t.memoryError()
	}
	return nil
}

// Sized is implemented by values of other packages that hold other values.
type Sized interface {
	// Held calls visit for every value held.
	Held(visit func(Object))
}

// sizer sums up the sizes of values, each counted once.
type sizer struct {
	seen map[Object]struct{}
	sum  int64
	todo []Object
}

func (s *sizer) visit(o Object) {
	s.todo = append(s.todo, o)
	for len(s.todo) > 0 {
		o := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.one(o)
	}
}

func (s *sizer) one(o Object) {
	switch o.(type) {
	case nil, NoneType, Bool, Int, Float, Type, Bytes:
		if b, ok := o.(Bytes); ok {
			s.sum += int64(len(b))
		}
		return
	}
	if _, ok := s.seen[o]; ok {
		return
	}
	s.seen[o] = struct{}{}
	s.sum += headSize
	switch o := o.(type) {
	case *Str:
		s.sum += int64(len(o.s) + 4*len(o.runes))
	case *Big:
		s.sum += int64(o.v.BitLen() / 8)
	case *List:
		s.sum += int64(cap(o.items) * slotSize)
		s.todo = append(s.todo, o.items...)
	case *Tuple:
		s.sum += int64(len(o.items) * slotSize)
		s.todo = append(s.todo, o.items...)
	case *Dict:
		s.sum += int64(cap(o.entries) * entrySize)
		for i := range o.entries {
			s.todo = append(s.todo, o.entries[i].k, o.entries[i].v)
		}
	case *Set:
		s.one(&o.d)
	case Sized:
		o.Held(func(h Object) { s.todo = append(s.todo, h) })
	}
}
