package spec

// shape is a map with known keys.
type shape struct {
	what  string   // "a node", for messages
	known []string // keys that are read
	later []string // keys of the language that this version does not do yet
}

// The shapes of the language. The JSON Schema for editors is made of them too.

func agentShape() shape {
	return shape{
		what: "the agent",
		known: []string{"name", "description", "version", "variables", "state_schema", "input_schema", "output_schema",
			"initial_state", "settings", "nodes", "edges", "secrets", "config"},
		later: []string{"imports"},
	}
}

func nodeShape() shape {
	return shape{
		what: "a node",
		known: []string{"name", "description", "run", "script", "language", "uses", "with", "steps", "type", "condition",
			"max_iterations", "body", "output", "goto", "if", "on_error", "cache"},
		later: []string{"agent", "subgraph", "parallel_each", "strategy", "retry", "timeout", "fan_in", "interrupt",
			"items", "item_var", "index_var", "action", "max_concurrency", "fail_fast", "input"},
	}
}

func edgeShape() shape {
	return shape{
		what:  "an edge",
		known: []string{"from", "to", "when", "condition", "type", "parallel"},
		later: []string{"fan_in"},
	}
}

func ruleShape() shape {
	return shape{what: "a rule of `goto`", known: []string{"if", "to"}}
}

func onErrorShape() shape {
	return shape{
		what:  "`on_error`",
		known: []string{"goto", "set", "result", "mode", "fallback"},
		later: []string{"max_retries", "retry"},
	}
}

func configShape() shape {
	return shape{
		what:  "`config`",
		known: []string{"raise_exceptions"},
		later: []string{"interrupt_before", "interrupt_after", "checkpoint_dir", "parallel"},
	}
}

func settingsShape() shape {
	return shape{
		what:  "`settings`",
		known: []string{"ltm", "cache", "llm", "record", "run", "limits", "env"},
		later: []string{"secrets", "trace"},
	}
}

func ltmShape() shape {
	return shape{
		what:  "`settings.ltm`",
		known: []string{"backend", "path", "url", "blob_uri", "project", "collection", "database"},
		later: []string{"catalog", "lazy", "inline_threshold"},
	}
}

func recordShape() shape {
	return shape{what: "`settings.record`", known: []string{"calls", "normalize", "on_exhausted"}}
}

func limitsShape() shape {
	return shape{what: "`settings.limits`", known: []string{"max_steps", "run_timeout", "max_state_bytes"}}
}

func runShape() shape {
	return shape{what: "`settings.run`", known: []string{"allow", "programs"}}
}
