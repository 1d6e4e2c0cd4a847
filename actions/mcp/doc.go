// Package mcpactions has the actions of the group mcp: the tools of servers
// that speak the Model Context Protocol, over HTTP or as programs on this
// machine. Every call opens a session and closes it.
package mcpactions
