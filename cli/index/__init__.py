"""`hopyard index`."""
