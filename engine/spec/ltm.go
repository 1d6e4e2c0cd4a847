package spec

import (
	"strings"

	"github.com/tea-agents/tea/internal/diag"
)

// ltm reads a URL or the path of a file, or {backend, path}.
func (p *parser) ltm(d *Data) Text {
	switch {
	case d == nil || d.IsNull():
		return Text{}
	case d.IsObject():
		return p.ltmBackend(d)
	}
	return p.name(d, "`settings.ltm`")
}

func (p *parser) ltmBackend(d *Data) Text {
	p.object(d, ltmShape())
	if u := d.Get("url"); u != nil {
		return p.ltm(u)
	}
	backend, path := p.name(d.Get("backend"), "`backend`"), p.name(d.Get("path"), "`path`")
	switch backend.Value {
	case "sqlite":
		if path.IsZero() {
			p.at(d, "missing_key", "the backend sqlite needs a `path`")
			return Text{}
		}
		path.Value = "sqlite:" + escapePath(path.Value)
		return path
	case "memory", "mem":
		backend.Value = "mem://"
		return backend
	case "":
		p.at(d, "missing_key", "`settings.ltm` needs a `backend` or a `url`")
	case "duckdb", "litestream", "blob-sqlite", "turso", "libsql", "firestore", "postgres", "redis":
		p.add(backend.Pos, backend.Width(), "not_supported", "the backend `%s` is not supported yet by this version", backend.Value)
	default:
		p.add(backend.Pos, backend.Width(), "unknown_backend", "unknown backend %q", backend.Value).
			Hint = diag.DidYouMean(backend.Value, []string{"sqlite", "memory"})
	}
	return Text{}
}

// escapePath escapes what would end the path of a URL.
func escapePath(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23").Replace(path)
}
