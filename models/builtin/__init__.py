"""The built-in chat and embedding models."""
