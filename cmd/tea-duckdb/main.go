// Command tea-duckdb is the whole tea command with DuckDB among the stores of
// long-term memory. It is a module of its own, because DuckDB needs cgo and
// makes the program some 60 MB larger.
package main

import (
	"github.com/tea-agents/tea"
	"github.com/tea-agents/tea/cmd/tea-duckdb/duckdbltm"
)

func main() { tea.Main(tea.WithStores(duckdbltm.Register)) }
