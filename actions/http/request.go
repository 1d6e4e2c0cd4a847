package httpactions

import (
	"context"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"

	"github.com/tea-agents/tea/actions"
	"github.com/tea-agents/tea/value"
)

// build makes the request.
func build(ctx context.Context, method string, t target, p payload) (*http.Request, error) {
	u, err := url.Parse(t.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, actions.Errorf(actions.CodeInvalidInput, "url: not an address that begins with http:// or https://")
	}
	if len(t.Params) > 0 {
		extra, err := form("params", t.Params)
		if err != nil {
			return nil, err
		}
		u.RawQuery = strings.Trim(u.RawQuery+"&"+extra.Encode(), "&")
	}
	body, contentType, err := p.encode()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, actions.Errorf(actions.CodeInvalidInput, "url: %w", err)
	}
	req.Header.Set("User-Agent", "tea")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for name, v := range t.Headers {
		if err := header(req, name, v); err != nil {
			return nil, err
		}
	}
	return req, nil
}

func header(req *http.Request, name, v string) error {
	const tchar = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	if name == "" || strings.Trim(name, tchar) != "" {
		return actions.Errorf(actions.CodeInvalidInput, "headers: %q is not a header's name", name)
	}
	if strings.ContainsAny(v, "\r\n\x00") {
		return actions.Errorf(actions.CodeInvalidInput, "headers: the value of %s has a line end in it", name)
	}
	if textproto.CanonicalMIMEHeaderKey(name) == "Host" {
		req.Host = v
		return nil
	}
	req.Header.Set(name, v)
	return nil
}

// encode returns the body and its media type; nil and "" for no body.
func (p payload) encode() (io.Reader, string, error) {
	given := 0
	for _, has := range []bool{p.JSON != nil, p.Body != nil, p.Form != nil} {
		if has {
			given++
		}
	}
	switch {
	case given > 1:
		return nil, "", actions.Errorf(actions.CodeInvalidInput, "give only one of json, body and form")
	case p.JSON != nil:
		text, err := p.JSON.Canonical()
		if err != nil {
			return nil, "", actions.Errorf(actions.CodeInvalidInput, "json: %w", err)
		}
		return strings.NewReader(string(text)), "application/json", nil
	case p.Form != nil:
		values, err := form("form", p.Form)
		return strings.NewReader(values.Encode()), "application/x-www-form-urlencoded", err
	case p.Body != nil:
		return strings.NewReader(*p.Body), "", nil
	}
	return nil, "", nil
}

// form turns scalars and lists of scalars into URL values.
func form(param string, in map[string]value.Value) (url.Values, error) {
	out := url.Values{}
	for key, v := range in {
		items := []value.Value{v}
		if v.Kind() == value.KindList {
			items = items[:0]
			for _, item := range v.Items() {
				items = append(items, item)
			}
		}
		for _, item := range items {
			switch item.Kind() {
			case value.KindNull:
			case value.KindString:
				out.Add(key, item.Text())
			case value.KindBool, value.KindInt, value.KindFloat:
				out.Add(key, item.String())
			default:
				return nil, actions.Errorf(actions.CodeInvalidInput, "%s.%s: a %s cannot stand in a URL or form", param, key, item.Kind())
			}
		}
	}
	return out, nil
}
