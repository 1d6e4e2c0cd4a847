// Package exchange tells, for the providers of package llm, which error a call
// is that an SDK made through a tap and that did not come to its end.
package exchange
