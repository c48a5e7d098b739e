"""The entity graph."""
