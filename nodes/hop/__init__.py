"""The steps of `hop` (HopRAG)."""
