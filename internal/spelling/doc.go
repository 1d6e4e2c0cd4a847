// Package spelling finds secrets in texts, however they are written there: as
// they are, escaped for JSON or URLs, or within base64.
package spelling
