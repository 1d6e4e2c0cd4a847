// Package pgserver runs PostgreSQL for tests: a server of their own, in a
// temporary directory, which ends with the test. As root it runs as another
// user, since PostgreSQL refuses root. Where there is no PostgreSQL the test is
// skipped, or fails where TEA_TEST_REQUIRE=all.
package pgserver
