package badnet

// Fault is a way for a network to go bad.
type Fault string

// The faults.
const (
	Latency    Fault = "latency"     // answers come seconds later
	Sluggish   Fault = "sluggish"    // requests come a little later
	Reset      Fault = "reset"       // connections are reset
	ResetLater Fault = "reset later" // they are reset after a moment
	Refusal    Fault = "refusal"     // they are closed at the first byte
	Blackhole  Fault = "blackhole"   // nothing comes through
	HalfOpen   Fault = "half-open"   // requests come through, answers do not
	SlowReads  Fault = "slow reads"  // answers come in some bytes at a time
	Narrow     Fault = "narrow"      // answers come at a kilobyte a second
	SlowWrites Fault = "slow writes" // requests do
	Cut        Fault = "cut"         // answers end early
	Gone       Fault = "gone"        // nobody listens
)

// Faults returns them all.
func Faults() []Fault {
	return []Fault{
		Latency, Sluggish, Reset, ResetLater, Refusal, Blackhole, HalfOpen, SlowReads, Narrow, SlowWrites, Cut, Gone,
	}
}

// toxics returns what toxiproxy calls them, each the members of a JSON object.
func (f Fault) toxics() []string {
	return map[Fault][]string{
		Latency:    {`"type":"latency","stream":"downstream","attributes":{"latency":3000}`},
		Sluggish:   {`"type":"latency","stream":"upstream","attributes":{"latency":40,"jitter":30}`},
		Reset:      {`"type":"reset_peer","stream":"downstream","attributes":{"timeout":0}`},
		ResetLater: {`"type":"reset_peer","stream":"upstream","attributes":{"timeout":50}`},
		Refusal:    {`"type":"limit_data","stream":"upstream","attributes":{"bytes":0}`},
		Blackhole: {
			`"type":"timeout","stream":"upstream","attributes":{"timeout":0}`,
			`"type":"timeout","stream":"downstream","attributes":{"timeout":0}`,
		},
		HalfOpen:   {`"type":"timeout","stream":"downstream","attributes":{"timeout":0}`},
		SlowReads:  {`"type":"slicer","stream":"downstream","attributes":{"average_size":4,"size_variation":2,"delay":50000}`},
		Narrow:     {`"type":"bandwidth","stream":"downstream","attributes":{"rate":1}`},
		SlowWrites: {`"type":"bandwidth","stream":"upstream","attributes":{"rate":1}`},
		Cut:        {`"type":"limit_data","stream":"downstream","attributes":{"bytes":100}`},
	}[f]
}
