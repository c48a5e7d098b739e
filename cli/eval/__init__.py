"""`hopyard eval`."""
