"""The steps of `plan`."""
