package llmwire

import "bytes"

// Event is one part of a stream.
type Event struct {
	Raw   []byte // exactly what was sent, with all that ends it
	Name  string // of server-sent events, or ""
	Data  []byte // what it says: the data lines joined, or the line
	Whole bool   // it was ended as the framing asks: by an empty line, or a newline
}

// SSE splits a stream of server-sent events. The Raw parts together are the
// stream; a rest that no empty line ends is the last event, not Whole.
func SSE(stream []byte) []Event {
	var events []Event
	rest := stream
	for len(rest) > 0 {
		e, n := nextSSE(rest)
		events = append(events, e)
		rest = rest[n:]
	}
	return events
}

func nextSSE(stream []byte) (e Event, size int) {
	var data [][]byte
	for size < len(stream) {
		line, n := cutLine(stream[size:])
		ended := n > len(line)
		size += n
		if size == n {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if len(line) == 0 && ended {
			e.Whole = true
			break
		}
		name, text, _ := bytes.Cut(line, []byte(":"))
		text = bytes.TrimPrefix(text, []byte(" "))
		switch string(name) {
		case "data":
			data = append(data, text)
		case "event":
			e.Name = string(text)
		}
	}
	e.Raw = stream[:size:size]
	if len(data) > 0 {
		e.Data = bytes.Join(data, []byte("\n"))
	}
	return e, size
}

// cutLine returns the first line without its end, and its size with it. Lines
// end with LF, CR LF or CR.
func cutLine(text []byte) (line []byte, size int) {
	i := bytes.IndexAny(text, "\r\n")
	switch {
	case i < 0:
		return text, len(text)
	case text[i] == '\r' && i+1 < len(text) && text[i+1] == '\n':
		return text[:i], i + 2
	}
	return text[:i], i + 1
}

// NDJSON splits a stream of JSON lines. The Raw parts together are the stream;
// a rest that no newline ends is the last event, not Whole.
func NDJSON(stream []byte) []Event {
	var events []Event
	for line := range bytes.Lines(stream) {
		events = append(events, Event{
			Raw:   line,
			Data:  bytes.TrimSpace(line),
			Whole: line[len(line)-1] == '\n',
		})
	}
	return events
}
