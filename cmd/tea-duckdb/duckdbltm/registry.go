package duckdbltm

import "sync"

// registry knows the files that stores of this process use.
type registry struct {
	mu    sync.Mutex
	files map[string]*file
}

// shared is the registry of the process.
//
//nolint:gochecknoglobals // a file that a process opens twice is not locked: all stores on it must find each other
var shared registry

// join returns the file of a new store. Of its settings those of the first store
// count, but for the right to write.
func (r *registry) join(c config) *file {
	if c.path == inMemory || c.alone {
		return &file{config: c, stores: 1}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	f, ok := r.files[c.path]
	if !ok {
		f = &file{config: c, queue: queue(c.path + ".queue")}
		if r.files == nil {
			r.files = map[string]*file{}
		}
		r.files[c.path] = f
	}
	f.join(c)
	return f
}

// leave ends the use of a file by a store, and closes it after the last one.
func (r *registry) leave(f *file) error {
	f.leave()
	err := f.letGo()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.files[f.config.path] == f && f.unused() { // else another store that left was faster
		delete(r.files, f.config.path)
	}
	return err
}

func (f *file) join(c config) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stores++
	if f.config.readOnly && !c.readOnly {
		f.config.readOnly = false
		if f.held != nil {
			f.held.leave()
		}
	}
}

func (f *file) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stores--
}

func (f *file) unused() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stores == 0
}
