"""Prompts of evaluation and labelling."""
