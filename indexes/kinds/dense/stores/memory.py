"""LangChain's own store, a dict in memory that is written as one JSON file: for small corpora."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from hopyard.indexes.kinds.dense.vector_store import VectorStoreType

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

_FILE: Final = "vectors.json"


def _open(folder: Path, embeddings: Embeddings) -> InMemoryVectorStore:
    from langchain_core.vectorstores import InMemoryVectorStore

    path = folder / _FILE
    if path.exists():
        return InMemoryVectorStore.load(str(path), embeddings)
    return InMemoryVectorStore(embeddings)


def _save(store: VectorStore, folder: Path) -> None:
    cast("InMemoryVectorStore", store).dump(str(folder / _FILE))


STORE: Final = VectorStoreType(
    name="memory",
    about="LangChain's InMemoryVectorStore, which compares all vectors: for small corpora.",
    open=_open,
    save=_save,
)
