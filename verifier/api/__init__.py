"""What programs may ask, as typed endpoints and as MCP tools."""
