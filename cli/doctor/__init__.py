"""`hopyard doctor`."""
