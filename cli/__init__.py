"""The `hopyard` command."""
