// Package ollama speaks to an Ollama server through the official Go client.
//
// The client's own habits are kept from acting: it takes no address and no
// signing key from the environment or the home directory.
//
// The API knows no tool_choice but auto and none, and images only by their
// bytes; what else is asked for is an error of kind unsupported.
package ollama
