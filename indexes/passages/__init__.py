"""From documents to passages."""
