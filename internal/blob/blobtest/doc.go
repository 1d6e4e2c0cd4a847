// Package blobtest gives tests the object stores of the three clouds, on this
// machine: S3 and Google Cloud Storage in this process, Azure as the emulator
// that its makers provide.
package blobtest
