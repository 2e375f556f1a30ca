"""Serve programs, through typed endpoints and MCP tools."""
