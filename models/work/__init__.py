"""Model calls and embeddings of a build that several processes do."""
