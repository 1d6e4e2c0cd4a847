// Package actiontest is the contract of every action as a suite. An action
// group runs it in its own tests:
//
//	func TestContract(t *testing.T) {
//		registry, err := actions.NewRegistry(jsonactions.Actions()...)
//		…
//		actiontest.Run(t, registry, nil)
//	}
//
// The suite calls the actions with thousands of inputs, good and bad. It needs
// no network and waits for nothing: see [Env].
package actiontest
