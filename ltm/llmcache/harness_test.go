package llmcache_test

type options = map[string]any
