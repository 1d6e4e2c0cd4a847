// Package files writes files so that a kill at any moment leaves the old one or
// the new one, and lets processes take turns.
package files
