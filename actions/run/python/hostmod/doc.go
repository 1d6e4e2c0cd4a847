// Package hostmod holds the modules that code may import.
package hostmod
