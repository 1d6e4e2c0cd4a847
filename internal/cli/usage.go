package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tea-agents/tea/internal/diag"
)

// usageError is a mistake in the command line.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// markUsageErrors makes wrong arguments of c and its subcommands exit with 2.
func markUsageErrors(c *cobra.Command) {
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usageError{err}
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		markUsageErrors(sub)
	}
}

// exactly takes the arguments that are named, no more and no fewer.
func exactly(names ...string) cobra.PositionalArgs { return takes(len(names), names...) }

// anyNumber is how many arguments a command takes at most that has no limit.
const anyNumber = 1 << 20

// takes takes the arguments that are named and others, up to most of all.
func takes(most int, names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names):
			return fmt.Errorf("%s is missing: %s", names[len(args)], c.UseLine())
		case len(args) > most:
			return fmt.Errorf("%q is too much: %s", args[most], c.UseLine())
		}
		return nil
	}
}

// placeFlag is a flag that names a place. An empty one, as of a shell's variable
// that is not set, is not that of somebody who leaves the flag out.
type placeFlag string

// String implements pflag.Value.
func (f *placeFlag) String() string { return string(*f) }

// Type implements pflag.Value.
func (*placeFlag) Type() string { return "URL" }

// Set implements pflag.Value.
func (f *placeFlag) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("it is empty")
	}
	*f = placeFlag(text)
	return nil
}

// flagError says what is wrong with a flag in the words of people.
func flagError(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &value):
		want := map[string]string{"int": "a whole number", "bool": "true or false"}[value.GetFlag().Value.Type()]
		if err = fmt.Errorf("--%s: %w", value.GetFlag().Name, value.Unwrap()); want != "" {
			err = fmt.Errorf("--%s %s: want %s", value.GetFlag().Name, shorten(value.GetValue()), want)
		}
	case !errors.As(err, &unknown):
	case strings.Trim(unknown.GetSpecifiedName(), "-.0123456789") == "": // -5
		err = fmt.Errorf("%w; an argument that begins with - stands after a --", err)
	default:
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if s := diag.Suggest(unknown.GetSpecifiedName(), names); s != "" && unknown.GetSpecifiedShortnames() == "" {
			err = fmt.Errorf("%w; did you mean --%s?", err, s)
		}
	}
	return usageError{err}
}

// exclusive finds flags that were given together although only one of a group
// can be meant.
func exclusive(c *cobra.Command, groups ...[]string) error {
	for _, group := range groups {
		given := slices.DeleteFunc(group, func(name string) bool { return !c.Flags().Changed(name) })
		if len(given) > 1 {
			return usageError{fmt.Errorf("--%s cannot go together", strings.Join(given, " and --"))}
		}
	}
	return nil
}
