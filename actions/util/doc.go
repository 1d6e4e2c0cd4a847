// Package utilactions has the actions without a group: log and sleep.
package utilactions
