package mcpactions

import (
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tea-agents/tea/actions"
)

// check says everything that is wrong with a server, and sets its transport.
func (s *server) check() error {
	var problems []string
	complain := func(wrong bool, problem string) {
		if wrong {
			problems = append(problems, problem)
		}
	}
	byURL, byCommand := s.URL != "", s.Command != ""
	complain(byURL == byCommand, "server: one of url and command is wanted")
	complain(byURL && s.Transport == "stdio", "server.transport: stdio goes with a command")
	complain(byCommand && (s.Transport == "http" || s.Transport == "sse"), "server.transport: "+s.Transport+" goes with a url")
	complain(byCommand && !byURL && len(s.Headers) > 0, "server.headers: they go with a url")
	complain(byURL && !byCommand && len(s.Args) > 0, "server.args: they go with a command")
	complain(byURL && !byCommand && len(s.Env) > 0, "server.env: it goes with a command")
	complain(byURL && !webAddress(s.URL), "server.url: not an address that begins with http:// or https://")
	s.checkNames(complain)
	if len(problems) > 0 {
		slices.Sort(problems)
		return actions.Errorf(actions.CodeInvalidInput, "%s", strings.Join(problems, "; "))
	}
	if s.Transport == "" {
		s.Transport = "http"
		if byCommand {
			s.Transport = "stdio"
		}
	}
	return nil
}

// checkNames says what is wrong with headers and variables.
func (s *server) checkNames(complain func(wrong bool, problem string)) {
	for name, v := range s.Headers {
		complain(!headerName(name), "server.headers: \""+name+"\" is not a header's name")
		complain(strings.ContainsAny(v, "\r\n\x00"), "server.headers: the value of "+name+" has a line end in it")
	}
	for name, v := range s.Env {
		complain(name == "" || strings.ContainsAny(name, "=\x00"), "server.env: \""+name+"\" is not a variable's name")
		complain(strings.Contains(v, "\x00"), "server.env: the value of "+name+" has a zero byte in it")
	}
}

func webAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

func headerName(name string) bool {
	const tchar = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return name != "" && strings.Trim(name, tchar) == ""
}

// name is what messages call the server: nothing in it is secret.
func (s *server) name() string {
	if s.Transport == "stdio" {
		return "MCP server " + filepath.Base(s.Command)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return "MCP server"
	}
	return "MCP server " + u.Scheme + "://" + u.Host + u.EscapedPath()
}

// hidden returns the texts that no message shows: whatever may be a
// credential and is not so short that it stands for other things, too.
func (s *server) hidden() []string {
	var out []string
	add := func(text string) {
		if len(text) >= 6 {
			out = append(out, text)
		}
	}
	for _, v := range s.Headers {
		add(v)
		_, rest, _ := strings.Cut(v, " ") // of "Bearer …"
		add(rest)
	}
	for _, v := range s.Env {
		add(v)
	}
	if u, err := url.Parse(s.URL); err == nil {
		password, _ := u.User.Password()
		add(password)
		for _, values := range u.Query() {
			for _, v := range values {
				add(v)
			}
		}
	}
	return out
}

// header returns the headers of requests.
func (s *server) header() http.Header {
	h := http.Header{"User-Agent": {"tea"}}
	for name, v := range s.Headers {
		h.Set(name, v)
	}
	return h
}
