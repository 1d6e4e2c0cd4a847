package spec

import (
	"net/url"
	"slices"
	"strings"

	"github.com/tea-agents/tea/internal/diag"
)

// ltm reads a URL or the path of a file, or {backend, path}.
func (p *parser) ltm(d *Data) Text {
	switch {
	case d == nil || d.IsNull():
		return Text{}
	case d.IsObject():
		return p.ltmParts(d)
	}
	return p.name(d, "`settings.ltm`")
}

// backend is a kind of store, as settings.ltm names it.
type backend struct {
	name    string
	needs   []string // the parts without which it cannot be opened
	may     []string // other parts
	example string   // of what is needed, for a hint
	schemes []string // of its URLs
	url     func(p *parser, parts map[string]Text) Text
}

// backends are all kinds of stores. Those without a reader take a URL only.
func backends() []backend {
	remote := []string{"libsql", "turso", "http+libsql", "https+libsql"}
	return []backend{
		{name: "sqlite", needs: []string{"path"}, schemes: []string{"sqlite"}, url: (*parser).sqlite},
		{name: "memory", schemes: []string{"mem"}, url: (*parser).memory},
		{name: "mem", schemes: []string{"mem"}, url: (*parser).memory},
		{name: "blob-sqlite", needs: []string{"blob_uri"}, example: "s3://bucket/memory.db", schemes: []string{"blob-sqlite+"}, url: (*parser).blobSQLite},
		{name: "duckdb", needs: []string{"path"}, example: "memory.duckdb or s3://bucket/memory.duckdb", schemes: []string{"duckdb", "duckdb+"}, url: (*parser).duckDB},
		{name: "firestore", needs: []string{"project", "collection"}, may: []string{"database"}, schemes: []string{"firestore"}, url: (*parser).firestore},
		{name: "postgres", needs: []string{"url"}, example: "postgres://user@host/database", schemes: []string{"postgres", "postgresql"}},
		{name: "redis", needs: []string{"url"}, example: "redis://host:6379/0", schemes: []string{"redis", "rediss"}},
		{name: "libsql", needs: []string{"url"}, example: "libsql://host", schemes: remote},
		{name: "turso", needs: []string{"url"}, example: "turso://name-org.turso.io", schemes: remote},
	}
}

// ltmParts reads a URL, or a backend with its parts.
func (p *parser) ltmParts(d *Data) Text {
	p.object(d, ltmShape())
	named := p.name(d.Get("backend"), "`backend`")
	if named.IsZero() {
		return p.ltmURL(d)
	}
	if named.Value == "litestream" {
		p.add(named.Pos, named.Width(), "not_supported", "the backend `%s` is not supported yet by this version", named.Value)
		return Text{}
	}
	all := backends()
	at := slices.IndexFunc(all, func(b backend) bool { return b.name == named.Value })
	if at < 0 {
		known := make([]string, len(all))
		for i, b := range all {
			known[i] = b.name
		}
		known = slices.DeleteFunc(known, func(name string) bool { return name == "mem" }) // another word for memory
		p.add(named.Pos, named.Width(), "unknown_backend", "unknown backend %q", named.Value).Hint = diag.DidYouMean(named.Value, known)
		return Text{}
	}
	return p.ltmBackend(d, named, all[at])
}

// ltmURL reads {url} without a backend.
func (p *parser) ltmURL(d *Data) Text {
	u := d.Get("url")
	if u == nil {
		if d.Get("backend") == nil {
			p.at(d, "missing_key", "`settings.ltm` needs a `backend` or a `url`")
		}
		return Text{}
	}
	p.unused(d, "a `url` without a `backend`", "url")
	return p.name(u, "`url`")
}

// ltmBackend reads the parts of a backend, or its URL.
func (p *parser) ltmBackend(d *Data, named Text, b backend) Text {
	what := "the backend " + b.name
	if u := d.Get("url"); u != nil {
		p.unused(d, what+" with a `url`", "url")
		return p.urlOf(p.name(u, "`url`"), b)
	}
	p.unused(d, what, slices.Concat(b.needs, b.may)...)
	parts := map[string]Text{"backend": named}
	whole := true
	var missing []string
	for _, part := range slices.Concat(b.needs, b.may) {
		parts[part] = p.name(d.Get(part), "`"+part+"`")
		if !slices.Contains(b.needs, part) {
			continue
		}
		whole = whole && strings.TrimSpace(parts[part].Value) != ""
		if d.Get(part) == nil {
			missing = append(missing, "a `"+part+"`")
		}
	}
	if missing != nil {
		found := p.at(d, "missing_key", "%s needs %s", what, strings.Join(missing, " and "))
		if b.example != "" {
			found.Hint = "such as " + b.example
		}
	}
	if !whole || b.url == nil {
		return Text{}
	}
	return b.url(p, parts)
}

// unused reports the parts that nothing would come of.
func (p *parser) unused(d *Data, what string, used ...string) {
	for i := range d.Members {
		m := &d.Members[i]
		if key := m.Key.Value; key != "backend" && slices.Contains(ltmShape().known, key) && !slices.Contains(used, key) {
			p.atKey(m, "unused_key", "%s takes no `%s`", what, key)
		}
	}
}

// urlOf checks that a URL is one of the backend's.
func (p *parser) urlOf(u Text, b backend) Text {
	if u.IsZero() {
		return u
	}
	scheme, _, _ := strings.Cut(u.Value, ":")
	if slices.Contains(b.schemes, "http+libsql") && (scheme == "http" || scheme == "https") {
		u.Value = scheme + "+libsql" + strings.TrimPrefix(u.Value, scheme)
		return u
	}
	fits := func(known string) bool {
		return scheme == known || strings.HasSuffix(known, "+") && strings.HasPrefix(scheme, known)
	}
	if !slices.ContainsFunc(b.schemes, fits) {
		p.add(u.Pos, u.Width(), "wrong_backend", "this is no URL of the backend %s, which begins with %s:", b.name, strings.Join(b.schemes, ": or ")).
			Hint = "leave out `backend`, or correct one of them"
		return Text{}
	}
	return u
}

func (p *parser) sqlite(parts map[string]Text) Text {
	path := parts["path"]
	if strings.Contains(path.Value, "://") {
		p.add(path.Pos, path.Width(), "wrong_type", "`path` must be the path of a file, this is a URL").
			Hint = "say `url` in place of `backend` and `path`"
		return Text{}
	}
	path.Value = "sqlite:" + escapePath(path.Value)
	return path
}

func (*parser) memory(parts map[string]Text) Text {
	t := parts["backend"]
	t.Value = "mem://"
	return t
}

// blobSQLite reads the address of a SQLite file in a bucket.
func (p *parser) blobSQLite(parts map[string]Text) Text {
	uri := parts["blob_uri"]
	if !strings.Contains(uri.Value, "://") {
		p.add(uri.Pos, uri.Width(), "wrong_type", "`blob_uri` must be a URL").Hint = "such as s3://bucket/memory.db"
		return Text{}
	}
	uri.Value = "blob-sqlite+" + uri.Value
	return uri
}

// duckDB reads where a DuckDB file is: a path, or the URL of an object in a bucket.
func (*parser) duckDB(parts map[string]Text) Text {
	path := parts["path"]
	if strings.Contains(path.Value, "://") {
		path.Value = "duckdb+" + path.Value
	} else {
		path.Value = "duckdb:" + escapePath(path.Value)
	}
	return path
}

// firestore reads which collection of which project.
func (p *parser) firestore(parts map[string]Text) Text {
	project := parts["project"]
	if strings.ContainsAny(project.Value, "/?#@: ") {
		p.add(project.Pos, project.Width(), "wrong_type", "`project` must be the id of a project").Hint = "such as my-project"
		return Text{}
	}
	project.Value = "firestore://" + project.Value + "/" + url.PathEscape(parts["collection"].Value)
	if database := parts["database"]; !database.IsZero() {
		project.Value += "?database=" + url.QueryEscape(database.Value)
	}
	return project
}

// escapePath escapes what would end the path of a URL.
func escapePath(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23").Replace(path)
}
