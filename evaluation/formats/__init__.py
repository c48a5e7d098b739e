"""Public question sets, read from their own formats: one module a family."""
