// Package interp runs the trees of package syntax on the values of package
// object.
package interp
