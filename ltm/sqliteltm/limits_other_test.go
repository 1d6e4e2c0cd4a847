//go:build !linux

package sqliteltm_test

// What a child process of the tests does is on Linux only.
const (
	childTask = "TEA_TEST_SQLITE_TASK"
	childArg  = "TEA_TEST_SQLITE_ARG"
)

func childTasks() map[string]func(path string) error { return nil }
