"""The agent and its strategies, one module for each compiled graph."""
