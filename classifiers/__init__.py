"""Con-RAG: contributions, labels, the retrieval gate, its training, calibration and evaluation."""
