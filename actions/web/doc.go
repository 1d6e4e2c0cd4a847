// Package webactions has the action of the group web: a search of the web by
// one of the services that offer an API for it.
package webactions
