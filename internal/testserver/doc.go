// Package testserver runs the servers that tests talk to: each test gets a
// process of its own, on a free port of the loopback interface, in a temporary
// directory, which ends with the test.
//
// The programs are those that a developer has or has not. Where one is missing
// the test is skipped; where the environment says TEA_TEST_REQUIRE=all, as the
// project's own checks do, it fails.
package testserver
