"""The kind `dense`: nearest neighbours of embeddings."""
