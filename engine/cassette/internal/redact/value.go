package redact

import (
	"strings"

	"github.com/tea-agents/tea/value"
)

// Value returns v with every string in it, keys too, gone through text; a
// string under a key that names a credential is masked whole. Nothing is copied
// where nothing changes.
func Value(v value.Value, text func(string) string) value.Value {
	switch v.Kind() {
	case value.KindString:
		if s := v.Text(); s != "" {
			if masked := text(s); masked != s {
				return value.String(masked)
			}
		}
		return v
	case value.KindList:
		return list(v, text)
	case value.KindObject:
		return object(v, text)
	default:
		return v
	}
}

func list(v value.Value, text func(string) string) value.Value {
	items := make([]value.Value, 0, v.Len())
	changed := false
	for _, item := range v.Items() {
		masked := Value(item, text)
		changed = changed || !value.Equal(masked, item)
		items = append(items, masked)
	}
	if !changed {
		return v
	}
	return value.List(items...)
}

func object(v value.Value, text func(string) string) value.Value {
	members := make([]value.Member, 0, v.Len())
	changed := false
	for k, m := range v.Members() {
		key, masked := text(k), Value(m, text)
		if m.Kind() == value.KindString && NamesCredential(k) && m.Text() != "" {
			masked = value.String(Mask)
		}
		changed = changed || key != k || !value.Equal(masked, m)
		members = append(members, value.M(key, masked))
	}
	if !changed {
		return v
	}
	return value.Object(members...)
}

// NamesCredential tells whether a key, by its name, holds a credential.
func NamesCredential(key string) bool {
	switch strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(key)) {
	case "apikey", "xapikey", "xgoogapikey", "authorization", "proxyauthorization", "password", "passwd",
		"secret", "clientsecret", "secretkey", "secretaccesskey", "awssecretaccesskey", "accesstoken",
		"refreshtoken", "idtoken", "authtoken", "sessiontoken", "privatekey", "credential", "credentials", "cookie", "setcookie":
		return true
	}
	return false
}
