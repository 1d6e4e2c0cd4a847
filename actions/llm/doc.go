// Package llmactions has the actions of the group llm: questions to language
// models. llm.call, llm.stream and llm.embed speak to a provider; llm.tools,
// llm.retry and llm.chat are composed of them, each call on its own going
// through the whole chain.
package llmactions
