"""The steps of `global` (GraphRAG)."""
