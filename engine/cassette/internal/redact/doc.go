// Package redact finds what looks like a credential in text and in values.
package redact
