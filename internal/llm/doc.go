// Package llm is what the model providers have in common: a [Request], a
// [Response], the [Delta]s of a stream, and a [Client] that turns one into the
// other. One package below it speaks to each provider through that provider's
// own SDK; package providers is the list of them.
//
// It knows nothing of actions, caches and recordings: they wrap it.
package llm
