package ltmtest

import "sync"

// Warnings keeps what a store warns of. It may be used concurrently; Texts is to
// be read when nobody warns any more.
type Warnings struct {
	mu    sync.Mutex
	Texts []string
}

// Warn is told a warning.
func (w *Warnings) Warn(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Texts = append(w.Texts, text)
}
