"""The kinds of index: one folder each."""
