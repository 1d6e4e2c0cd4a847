//go:build !unix

package pgserver

import "syscall"

func attributes() *syscall.SysProcAttr { return nil }

func own(string) error { return nil }

func children(int) []int { return nil }
