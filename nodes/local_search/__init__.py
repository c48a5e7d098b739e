"""The steps of local search (GraphRAG): link, write missing reports, gather, answer."""
