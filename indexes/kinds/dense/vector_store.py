"""The record of a LangChain vector store: a name, and how its folder is opened.

A package offers one of its own as entry point `hopyard.vector_stores`. Light to import, as a list
of names imports each record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hopyard.state.registry import Registry

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import VectorStore

PGVECTOR: Final = "pgvector"
"""The store that keeps vectors in the database of a shared index; no LangChain store."""
STORE_FILE: Final = "store.json"
"""The file of the kind `dense` that names its store; the FAISS index has none."""


@dataclass(frozen=True)
class VectorStoreType:
    """A LangChain vector store that keeps its vectors in a folder.

    Attributes:
        name: Its name for `dense.store`.
        about: One sentence: what it is, and which package it needs.
        open: Opens the store in a folder, which is empty at first. The embeddings know the vectors
            of what is added, and of what is searched for; no model is called. A store that is read
            must not change its files.
        save: Writes the store into the folder, if it does not do so itself.
    """

    name: str
    about: str
    open: Callable[[Path, Embeddings], VectorStore]
    save: Callable[[VectorStore, Path], None] | None = None


VECTOR_STORES: Final = Registry[VectorStoreType](
    "vector store",
    package="hopyard.indexes.kinds.dense.stores",
    attribute="STORE",
    group="hopyard.vector_stores",
)
"""Every vector store by name: built-in, from installed packages, and registered."""
