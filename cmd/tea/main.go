// Command tea runs agents that are written in YAML.
package main

import "github.com/tea-agents/tea"

func main() { tea.Main() }
