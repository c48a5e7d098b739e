"""The steps of `drift` (GraphRAG)."""
