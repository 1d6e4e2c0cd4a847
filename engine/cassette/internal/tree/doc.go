// Package tree writes and reads the text of cassettes: documents whose outer
// keys stand in a chosen order, as YAML that is pleasant to review or as JSON,
// and back without any loss. It also splits a large document into its entries
// without decoding them.
package tree
