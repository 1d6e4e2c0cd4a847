package python_test

import (
	"errors"

	"github.com/tea-agents/tea/actions/run/python"
)

func asError(err error, e **python.Error) bool { return errors.As(err, e) }
