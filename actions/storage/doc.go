// Package storageactions has the actions of the groups storage and file: they
// read, write and look at files by URI, on this machine and in the clouds.
// file.read and file.write are storage.read and storage.write under the names
// that are familiar for local files.
package storageactions
