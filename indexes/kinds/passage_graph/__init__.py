"""HopRAG's passage graph: passages as vertices, questions as directed edges.

`keywords` reads the keywords of a question, `similarity` is the paper's SIM, `matching` finds for
every out-coming question the best in-coming question of another passage, and `edges` turns those
matches into the graph.

Source: Liu et al., "HopRAG: Multi-Hop Reasoning for Logic-Aware Retrieval-Augmented Generation",
section 3.2.
"""
