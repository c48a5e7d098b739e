"""Chat and embedding models, and the one function through which every model call goes."""
