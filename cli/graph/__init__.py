"""`hopyard graph`."""
