"""Prompts of index kinds."""
