"""Trains the small adapter of the embedded model, and measures it: the `training` extra."""
