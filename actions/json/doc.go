// Package jsonactions has the actions of the group json: they read, write and
// transform JSON.
package jsonactions
