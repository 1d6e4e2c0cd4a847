// Package httpactions has the actions of the group http: requests to the web.
package httpactions
