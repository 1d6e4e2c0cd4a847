// Package gemini speaks to Google's Gemini API through the official SDK.
//
// The API names no calls unless it is a model of a late generation, so calls
// without a name get call_0, call_1, …; such names are ours and are not sent.
// An answer, or a prompt, that a filter holds back has the finish reason
// content_filter.
package gemini
