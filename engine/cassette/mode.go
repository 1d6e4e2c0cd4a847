package cassette

import (
	"fmt"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
)

// Mode says what a session does about calls.
type Mode uint8

// The modes.
const (
	Live          Mode = iota // calls are made, nothing is recorded
	Record                    // calls are made and recorded afresh
	RecordMissing             // recorded calls are served; others are made and appended
	Replay                    // recorded calls are served; any other is an error
)

// modeNames are the names of the modes, in their order.
func modeNames() []string { return []string{"live", "record", "record-missing", "replay"} }

// String returns the name of m, as ParseMode reads it.
func (m Mode) String() string {
	if names := modeNames(); int(m) < len(names) {
		return names[m]
	}
	return fmt.Sprintf("Mode(%d)", m)
}

// ParseMode reads the name of a mode. The error is of ErrConfig.
func ParseMode(name string) (Mode, error) {
	for i, n := range modeNames() {
		if n == name {
			return Mode(i), nil
		}
	}
	hint := ""
	if s := diag.Suggest(name, modeNames()); s != "" {
		hint = fmt.Sprintf("; did you mean %q?", s)
	}
	return Live, fmt.Errorf("%w: %q is not a mode of recording, which are %s%s", ErrConfig, name, strings.Join(modeNames(), ", "), hint)
}

// records tells whether calls made in this mode are kept.
func (m Mode) records() bool { return m == Record || m == RecordMissing }

// serves tells whether recorded calls answer in this mode.
func (m Mode) serves() bool { return m == RecordMissing || m == Replay }
