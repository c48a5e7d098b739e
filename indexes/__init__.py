"""Hopyard."""
