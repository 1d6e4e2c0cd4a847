// Package exchangetest holds every provider that speaks HTTP to the same rules,
// with a server of the test's own process that speaks the provider's dialect.
//
// A provider's test hands over a [Dialect], samples of what the provider says,
// and calls [Run].
package exchangetest
