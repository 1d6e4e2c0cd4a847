// Package anthropic speaks to Anthropic's Messages API through the official
// SDK.
//
// What the API has no word for is done otherwise or left out: there is no seed
// and there are no embeddings; a json_schema is its structured output, a
// json_object is asked for in the system's words. An answer has at most 4096
// tokens where the request does not say.
package anthropic
