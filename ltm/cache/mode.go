package cache

import (
	"fmt"

	"github.com/tea-agents/tea/internal/diag"
)

// Mode says what the cache may do for a call.
type Mode uint8

// The modes. The zero Mode is Off.
const (
	Off     Mode = iota // nothing at all, not even a key is built
	Read                // look up, never store
	Write               // store, never look up: a fresh result
	Both                // look up and store
	Require             // look up; a miss is an error, nothing is run
)

// modeNames are the modes as people write them, by Mode.
func modeNames() []string { return []string{"off", "read", "write", "both", "require"} }

// String returns the mode as people write it.
func (m Mode) String() string {
	if names := modeNames(); int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("mode %d", uint8(m))
}

// ParseMode reads a mode. The error of an unknown one suggests the one meant.
func ParseMode(text string) (Mode, error) {
	for i, name := range modeNames() {
		if name == text {
			return Mode(i), nil
		}
	}
	return Off, fmt.Errorf("unknown cache mode %q; %s", text, diag.DidYouMean(text, modeNames()))
}

// looksUp tells whether the mode reads the store.
func (m Mode) looksUp() bool { return m == Read || m == Both || m == Require }

// stores tells whether the mode writes to the store.
func (m Mode) stores() bool { return m == Write || m == Both }

// modeOf returns the mode with just the given abilities.
func modeOf(looksUp, stores bool) Mode {
	switch {
	case looksUp && stores:
		return Both
	case looksUp:
		return Read
	case stores:
		return Write
	default:
		return Off
	}
}

// within returns m without the abilities that outside lacks. Running the action
// on a miss is one of them: what may look up becomes Require within Require,
// and what may not is not cached at all.
func (m Mode) within(outside Mode) Mode {
	switch {
	case m == Off || outside == Off:
		return Off
	case m == Require || outside == Require:
		if m.looksUp() && outside.looksUp() {
			return Require
		}
		return Off
	default:
		return modeOf(m.looksUp() && outside.looksUp(), m.stores() && outside.stores())
	}
}
