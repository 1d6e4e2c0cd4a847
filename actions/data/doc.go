// Package dataactions has the actions of the group data: they validate, merge
// and filter data.
package dataactions
