package machine

import (
	"errors"
	"strconv"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/engine/internal/graph"
	"github.com/tea-agents/tea/engine/internal/ioschema"
	"github.com/tea-agents/tea/value"
)

// state is the run's state with what guards it. It changes only by merge, and
// only as a whole: a refused update leaves it as it was.
type state struct {
	value  value.Value
	schema *ioschema.Schema // nil: not declared
	sizes  map[string]int   // bytes that each key takes as JSON; nil: no limit
	size   int64
	limit  int64
}

func newState(g *graph.Graph) state {
	s := state{value: value.Object(), schema: g.Schemas.State, limit: g.Settings.Limits.StateBytes}
	if s.limit > 0 {
		s.sizes = map[string]int{}
	}
	return s
}

// merge puts the members of update, an object, over the state.
func (s *state) merge(update value.Value) error {
	var errs []error
	for key, v := range update.Members() {
		if err := checkMember(key, v); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	next := s.value.Merge(update)
	if s.schema != nil {
		if err := s.schema.CheckPresent(update); err != nil {
			return actions.Errorf(actions.CodeInvalidInput, "state_schema: %w", err)
		}
	}
	if err := s.grow(update); err != nil {
		return err
	}
	s.value = next
	return nil
}

// checkMember lets nothing into the state that is not JSON.
func checkMember(key string, v value.Value) error {
	err := value.Object(value.M(key, v)).Check()
	var not *value.NotJSONError
	if !errors.As(err, &not) {
		return err
	}
	return actions.Errorf(actions.CodeInvalidInput, "the state key %q cannot be set: %s", key, not)
}

// grow accounts for the update's size, unless it makes the state too large.
func (s *state) grow(update value.Value) error {
	if s.limit <= 0 {
		return nil
	}
	size := s.size
	sizes := make(map[string]int, update.Len())
	for key, v := range update.Members() {
		sizes[key] = len(strconv.Quote(key)) + len(v.AppendJSON(nil)) + 2
		size += int64(sizes[key] - s.sizes[key])
	}
	if size > s.limit {
		return actions.Errorf(actions.CodeTooLarge,
			"the state would take %d bytes; settings.limits.max_state_bytes allows %d", size, s.limit)
	}
	for key, n := range sizes {
		s.sizes[key] = n
	}
	s.size = size
	return nil
}
