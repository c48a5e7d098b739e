"""The steps of `decompose`, a baseline."""
