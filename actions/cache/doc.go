// Package cacheactions holds the actions that look after cached results:
// cache.wrap, cache.get and cache.invalidate.
//
// cache.wrap keeps nothing itself. It invokes an action with a cache policy,
// which the chain around every call carries out, and tells what came of it.
package cacheactions
