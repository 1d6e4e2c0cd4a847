// Package csvactions has the actions of the group csv: they read and write
// comma-separated values.
package csvactions
