"""The coding agents: sleepd's plugin, skill and MCP server put into them and taken out."""
