"""The graph: its rows, its files, its weights."""
