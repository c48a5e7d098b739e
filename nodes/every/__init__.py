"""The steps of `every`."""
