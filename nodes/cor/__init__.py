"""The steps of `cor` (CoR-RAG as published)."""
