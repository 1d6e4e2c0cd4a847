// Package gcs is a driver of gocloud.dev/blob for Google Cloud Storage. It
// speaks the JSON API over HTTP, as far as internal/blob needs it: whole objects
// are read, described, listed, deleted and uploaded, large ones in parts that
// are resumed. What else gocloud.dev can ask for is unimplemented, and says so.
//
// gocloud.dev has a driver of its own. That one imports gRPC with the protocols
// of service meshes and of monitoring, which nothing here uses and whose
// initialisation was half of the time that every command takes to start.
package gcs
