"""The kind `sparse`: BM25."""
