package content

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tea-agents/tea/value"
)

// Decode reads data in one of the formats text, bytes, json and csv: a string,
// a string in base64, any value, or a list of objects.
func Decode(data []byte, format string) (value.Value, error) {
	switch format {
	case "bytes":
		return value.String(base64.StdEncoding.EncodeToString(data)), nil
	case "json":
		return JSON(data)
	case "csv":
		text, err := Text(data)
		if err != nil {
			return value.Null(), err
		}
		table, err := CSV{Header: true}.Parse(text)
		return value.List(table.Rows...), err
	default:
		text, err := Text(data)
		return value.String(text), err
	}
}

// Encode writes v in one of the formats text, bytes, json and csv. The format ""
// is text for a string and JSON for everything else. JSON is indented and ends
// in a newline.
func Encode(v value.Value, format string) ([]byte, error) {
	text, isText := v.AsString()
	switch {
	case format == "bytes" && isText:
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, fmt.Errorf("the content is not base64: %w", err)
		}
		return data, nil
	case format == "csv":
		if v.Kind() != value.KindList {
			return nil, fmt.Errorf("CSV is written from a list of rows, not from a %s", v.Kind())
		}
		rows := make([]value.Value, 0, v.Len())
		for _, row := range v.Items() {
			rows = append(rows, row)
		}
		out, err := CSV{Header: true}.Format(rows)
		return []byte(out), err
	case isText && format != "json":
		return []byte(text), nil
	case format == "text", format == "bytes":
		return nil, fmt.Errorf("content in the format %s is a string, not a %s", format, v.Kind())
	}
	if err := v.Check(); err != nil {
		return nil, err
	}
	return append([]byte(v.Indent()), '\n'), nil
}

// Text returns data as text. It refuses what is not UTF-8.
func Text(data []byte) (string, error) {
	if !utf8.Valid(data) {
		return "", errors.New(`the content is not UTF-8 text; use format: bytes to get it in base64`)
	}
	return string(data), nil
}

// JSON reads one JSON text, after a byte order mark if there is one.
func JSON(data []byte) (value.Value, error) {
	v, err := value.Parse(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return value.Null(), fmt.Errorf("not JSON: %w", err)
	}
	return v, nil
}
