// Package memoryactions has the actions of the group memory: values that live
// as long as the run. What is to outlive it goes to ltm.
package memoryactions
