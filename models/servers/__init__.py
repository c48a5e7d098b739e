"""Model servers: their addresses, abilities, windows and failures."""
