// Package llmwire reads the HTTP dialects that model providers speak: OpenAI
// (chat completions, responses, completions, embeddings), Anthropic (messages),
// Gemini (generateContent, streamGenerateContent) and Ollama (chat, generate,
// embed).
//
// It sees bytes only, never a connection: from a method, a path and a body it
// tells whose call this is, which model is asked and what; from the bytes of an
// answer what was said, which tools are to be called, what it cost, and whether
// a stream was sent to its end. Whatever it is given, it never fails: what it
// cannot read is not a call of a model, or says nothing.
package llmwire
