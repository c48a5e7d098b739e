"""The corpus store: documents, passages and vectors on the disk."""
