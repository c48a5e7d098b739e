"""Measures of answers and of retrieval, and how sure they are."""
