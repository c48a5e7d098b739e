"""Texts that a chat model writes for an index: asked side by side, kept at once."""
