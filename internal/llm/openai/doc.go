// Package openai asks models over OpenAI's chat completions and embeddings:
// OpenAI itself, every server that speaks its protocol, and Azure OpenAI.
//
// It is a layer over OpenAI's own SDK with everything switched off that the SDK
// would do behind the caller's back: retries, and reading the environment.
package openai
