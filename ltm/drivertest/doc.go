// Package drivertest checks that a store keeps the contract of package driver.
//
//	func TestConformance(t *testing.T) {
//		drivertest.Run(t, func(t *testing.T) driver.Store { return open(t) }, drivertest.Options{})
//	}
//
// The suite is a list of rules, each a sentence with a check. A rule about an
// optional ability is skipped for a store that has none. The suite is itself
// checked: for every one of a list of broken stores a rule must fail.
package drivertest
