"""The steps of `table`."""
