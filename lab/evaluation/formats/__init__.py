"""Public question sets, read from their own formats."""
