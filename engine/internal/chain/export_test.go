package chain

import "github.com/tea-agents/tea/actions"

// Scrub is the innermost link, for tests.
func Scrub(s *Scrubber) actions.Middleware { return scrub(s) }
