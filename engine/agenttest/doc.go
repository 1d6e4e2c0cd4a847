// Package agenttest runs unit tests of agents that are written in YAML: what
// `tea test` does.
//
// A file of tests, NAME.test.yaml, says which agent it is about and lists cases.
// A case gives an input, says what stands in for the world outside (a cassette,
// or mocks by node), and what is expected of the run:
//
//	agent: weather.yaml
//	tests:
//	  - name: warns of a storm
//	    input: {city: Bergen}
//	    mocks:
//	      forecast: {result: {wind: 31}}
//	    expect:
//	      state: {warning: true}
//	      path: [forecast, warn]
//	      llm_calls: 0
//
// Nothing goes out: a call that is neither mocked nor on the cassette fails the
// case. Every case has a memory of its own, which starts empty.
package agenttest
