"""The steps of `react`, a baseline."""
