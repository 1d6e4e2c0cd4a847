// Package reference writes the reference of actions and filters from their
// declarations: as Markdown for YAML_REFERENCE.md, and as plain text for
// `tea actions show`.
package reference
