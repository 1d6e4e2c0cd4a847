package redisltm

import (
	"context"
	"embed"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/tea-agents/tea/ltm/driver"
)

//go:embed lua/*.lua
var luaFiles embed.FS

// scripts are what the server runs atomically.
type scripts struct {
	init, put, del, expire, touch         *redis.Script
	scan, rows, namespaces, sweep, worded *redis.Script
}

func loadScripts() scripts {
	head := fmt.Sprintf("local FORMAT = '%d'\n", formatVersion) + luaFile("common")
	load := func(name string) *redis.Script { return redis.NewScript(head + luaFile(name)) }
	return scripts{
		init: load("init"), put: load("put"), del: load("delete"), expire: load("expire"),
		touch: load("touch"), scan: load("scan"), rows: load("rows"),
		namespaces: load("namespaces"), sweep: load("sweep"), worded: load("worded"),
	}
}

func luaFile(name string) string {
	text, err := luaFiles.ReadFile("lua/" + name + ".lua")
	if err != nil {
		return fmt.Sprintf("error(%q)", err) // it is built in
	}
	return string(text)
}

// keys returns the KEYS of a script about a space and rows.
func (s *Store) keys(space driver.Space, rows []string) []string {
	return append([]string{s.store(), s.index(space)}, rows...)
}

// run runs a script, by its digest where the server has it.
func (s *Store) run(ctx context.Context, script *redis.Script, space driver.Space, rows []string, args []any) *redis.Cmd {
	return script.Run(ctx, s.client, s.keys(space, rows), args...)
}
