// Package providers is the list of the model providers that tea speaks to.
package providers
