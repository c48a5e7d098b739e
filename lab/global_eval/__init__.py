"""GraphRAG's evaluation of answers about a whole corpus, and its baseline `map-reduce`."""
