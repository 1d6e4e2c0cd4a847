package event

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Version is the version of the JSON form that this package writes and the
// newest that it reads.
const Version = 1

// Event is one thing that happened in a run.
type Event struct {
	Seq  int64     // from 1, without gaps
	Time time.Time // by the run's clock
	Run  string    // the run's id
	Body Body
}

// Body is what happened: one of the struct types of this package, by value.
type Body interface {
	// Type names the kind of event, as in JSON.
	Type() string
	sealed()
}

// header is what stands in every event.
type header struct {
	V    int    `json:"v" doc:"Version of the format."`
	Seq  int64  `json:"seq" doc:"Number of the event within its run, from 1, without gaps."`
	Time string `json:"ts" doc:"When it happened (RFC 3339, UTC)."`
	Run  string `json:"run" doc:"The run's id."`
	Type string `json:"type" doc:"What happened."`
}

// MarshalJSON writes the event as one object, the common keys first.
func (e Event) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(header{Version, e.Seq, e.Time.UTC().Format(time.RFC3339Nano), e.Run, e.Body.Type()})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(e.Body)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(body, []byte("{}")) {
		return head, nil
	}
	return slices.Concat(head[:len(head)-1], []byte{','}, body[1:]), nil
}

// UnmarshalJSON reads what MarshalJSON wrote. It refuses a version newer than
// [Version] and a type that it does not know.
func (e *Event) UnmarshalJSON(data []byte) error {
	var h header
	if err := json.Unmarshal(data, &h); err != nil {
		return err
	}
	if h.V > Version {
		return fmt.Errorf("event: version %d is newer than %d, the newest known", h.V, Version)
	}
	at, err := time.Parse(time.RFC3339Nano, h.Time)
	if err != nil {
		return fmt.Errorf("event: ts: %w", err)
	}
	for _, k := range kinds() {
		if k.name != h.Type {
			continue
		}
		body, err := k.decode(data)
		if err != nil {
			return err
		}
		*e = Event{Seq: h.Seq, Time: at, Run: h.Run, Body: body}
		return nil
	}
	return fmt.Errorf("event: unknown type %q", h.Type)
}
