"""LangChain vector stores that can hold the kind `dense`: a module each."""
