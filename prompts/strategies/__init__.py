"""Prompts of strategies."""
