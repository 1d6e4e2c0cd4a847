// Package llmtest is a double of the model providers' HTTP services for tests:
// OpenAI (and Azure OpenAI) chat completions and embeddings, Anthropic
// messages, Gemini generateContent and embeddings, Ollama chat and embed, plain
// and streamed. It speaks the real wire, so the providers' own SDKs, curl and
// recorders can be pointed at it; which service is meant follows from the path.
//
//	s := llmtest.New(t)
//	s.Script(
//		llmtest.Answer{Status: 429, RetryAfter: "2"},
//		llmtest.Answer{Text: "Hello, world"},
//	)
//	… a client with the base s.Base("openai") …
//	len(s.Calls()) // 2
//
// Answers are the same in every run: no clock, no random IDs.
package llmtest
