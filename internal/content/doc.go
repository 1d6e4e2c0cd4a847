// Package content turns the bytes of files into values and back: text, bytes as
// base64, JSON and CSV.
package content
