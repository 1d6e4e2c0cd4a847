package spec

import (
	"net/url"
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
	case "blob-sqlite":
		return p.blobSQLite(d)
	case "duckdb":
		return p.duckDB(d, path)
	case "firestore":
		return p.firestore(d)
	case "postgres", "redis", "libsql", "turso":
		p.at(d, "missing_key", "the backend %s needs a `url`", backend.Value).
			Hint = "such as " + backend.Value + "://host/database"
	case "":
		p.at(d, "missing_key", "`settings.ltm` needs a `backend` or a `url`")
	case "litestream":
		p.add(backend.Pos, backend.Width(), "not_supported", "the backend `%s` is not supported yet by this version", backend.Value)
	default:
		p.add(backend.Pos, backend.Width(), "unknown_backend", "unknown backend %q", backend.Value).
			Hint = diag.DidYouMean(backend.Value, []string{"sqlite", "memory", "blob-sqlite", "duckdb", "firestore", "postgres", "redis", "libsql", "turso"})
	}
	return Text{}
}

// blobSQLite reads the address of a SQLite file in a bucket.
func (p *parser) blobSQLite(d *Data) Text {
	uri := p.name(d.Get("blob_uri"), "`blob_uri`")
	switch {
	case uri.IsZero():
		p.at(d, "missing_key", "the backend blob-sqlite needs a `blob_uri`").Hint = "such as s3://bucket/memory.db"
	case !strings.Contains(uri.Value, "://"):
		p.add(uri.Pos, uri.Width(), "wrong_type", "`blob_uri` must be a URL").Hint = "such as s3://bucket/memory.db"
	default:
		uri.Value = "blob-sqlite+" + uri.Value
		return uri
	}
	return Text{}
}

// duckDB reads where a DuckDB file is: a path, or the URL of an object in a bucket.
func (p *parser) duckDB(d *Data, path Text) Text {
	switch {
	case path.IsZero():
		p.at(d, "missing_key", "the backend duckdb needs a `path`").Hint = "such as memory.duckdb or s3://bucket/memory.duckdb"
	case strings.Contains(path.Value, "://"):
		path.Value = "duckdb+" + path.Value
	default:
		path.Value = "duckdb:" + escapePath(path.Value)
	}
	return path
}

// firestore reads which collection of which project.
func (p *parser) firestore(d *Data) Text {
	project, collection := p.name(d.Get("project"), "`project`"), p.name(d.Get("collection"), "`collection`")
	if project.IsZero() || collection.IsZero() {
		p.at(d, "missing_key", "the backend firestore needs a `project` and a `collection`")
		return Text{}
	}
	project.Value = "firestore://" + project.Value + "/" + url.PathEscape(collection.Value)
	if database := p.name(d.Get("database"), "`database`"); !database.IsZero() {
		project.Value += "?database=" + url.QueryEscape(database.Value)
	}
	return project
}

// escapePath escapes what would end the path of a URL.
func escapePath(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23").Replace(path)
}
