"""Filters: which passages match conditions on metadata."""
