"""The steps of `tree` (ToR-RAG)."""
