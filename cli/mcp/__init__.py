"""`hopyard mcp`: the MCP server."""
