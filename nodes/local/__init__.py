"""The steps of local search (GraphRAG): link, gather, answer."""
