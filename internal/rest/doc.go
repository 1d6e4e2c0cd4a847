// Package rest is what the actions that log on to a service and speak JSON with
// it over HTTP have in common: which key they send where, how an answer is
// bounded and read, and which code a failure has. No message shows a key.
package rest
