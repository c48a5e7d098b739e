"""`hopyard gate`."""
