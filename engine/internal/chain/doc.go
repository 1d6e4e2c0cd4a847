// Package chain holds what is done about every call besides the call itself,
// and in which order: see [New].
package chain
