"""Chat and embedding models, and the function that makes every model call."""
