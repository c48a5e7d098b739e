"""One record a strategy: what is known of it without loading its graph."""
