"""What runs: the agent and its strategies, one module a compiled graph."""
