"""The steps of `chain` (CoR-RAG)."""
