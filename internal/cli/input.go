package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tea-agents/tea/engine/spec"
	"github.com/tea-agents/tea/value"
)

// readInput merges the values of --input in their order: JSON objects,
// @file (JSON, or YAML by its ending; @- is standard input) and key=value, in which the value is
// JSON where it reads as such and text where it does not.
func readInput(args []string, stdin io.Reader) (value.Value, error) {
	input := value.Object()
	for _, arg := range args {
		v, err := readOneInput(arg, stdin)
		if err != nil {
			return value.Value{}, usageError{fmt.Errorf("--input %s: %w", shorten(arg), err)}
		}
		input = input.Merge(v)
	}
	return input, nil
}

func readOneInput(arg string, stdin io.Reader) (value.Value, error) {
	trimmed := strings.TrimSpace(arg)
	switch {
	case trimmed == "":
		return value.Value{}, fmt.Errorf("nothing given; want JSON, @file or key=value")
	case trimmed[0] == '@':
		return readInputFile(trimmed[1:], stdin)
	case trimmed[0] == '{' || trimmed[0] == '[':
		return parseObject([]byte(trimmed))
	}
	key, text, ok := strings.Cut(arg, "=")
	if key = strings.TrimSpace(key); !ok || key == "" {
		return value.Value{}, fmt.Errorf("want JSON, @file or key=value")
	}
	return value.Object(value.M(key, scalar(text))), nil
}

func readInputFile(path string, stdin io.Reader) (value.Value, error) {
	var data []byte
	var err error
	if path == "-" {
		data, err = io.ReadAll(stdin)
	} else {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return value.Value{}, err
	}
	if ext := filepath.Ext(path); ext == ".yaml" || ext == ".yml" {
		return object(spec.Value(path, data))
	}
	return parseObject(data)
}

func parseObject(data []byte) (value.Value, error) { return object(value.Parse(data)) }

// object passes an object on, and refuses everything else.
func object(v value.Value, err error) (value.Value, error) {
	if err != nil {
		return value.Value{}, err
	}
	if v.Kind() != value.KindObject {
		return value.Value{}, fmt.Errorf("want an object, got a %s", v.Kind())
	}
	return v, nil
}

// scalar reads text as JSON, or else as it stands.
func scalar(text string) value.Value {
	if v, err := value.Parse([]byte(text)); err == nil {
		return v
	}
	return value.String(text)
}

func shorten(s string) string { return cut(s, 60) }

// cut keeps so many characters of a text.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
