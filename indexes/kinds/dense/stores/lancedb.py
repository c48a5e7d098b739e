"""LanceDB: columns on disk, which many processes may read."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hopyard.indexes.kinds.dense.vector_store import VectorStoreType
from hopyard.state.extras import require

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import VectorStore


def _open(folder: Path, embeddings: Embeddings) -> VectorStore:
    require("The vector store 'lancedb'", "lancedb")
    import lancedb

    with warnings.catch_warnings():
        # langchain-community says on import that it is no longer maintained.
        warnings.simplefilter("ignore", DeprecationWarning)
        from langchain_community.vectorstores import LanceDB

    connection = lancedb.connect(str(folder))
    return LanceDB(connection, embeddings, table_name="passages", distance="cosine")


STORE: Final = VectorStoreType(
    name="lancedb",
    about="LanceDB, whose columns stay on disk (hopyard[lancedb]).",
    open=_open,
)
