"""The kind `dense`: nearest neighbours of embeddings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hopyard.indexes.build_context import BuildContext
from hopyard.indexes.kind import IndexKind
from hopyard.indexes.threads import in_thread
from hopyard.state.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.kinds.dense.hnsw import DenseIndex

__all__ = ("KIND",)


class _Dense(IndexKind):
    name = "dense"
    about = "The passages' embeddings in an HNSW graph. Read by dense, hybrid and mmr search."
    needs_vectors = True

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        """Link all vectors again: HNSW cannot forget a passage, and a new graph is repeatable."""
        return await in_thread(_write, context)

    def open(self, directory: Path) -> DenseIndex:
        """Open the graph."""
        from hopyard.indexes.kinds.dense.hnsw import DenseIndex

        return DenseIndex.load(directory)

    def check(self, reader: DenseIndex, counts: Mapping[str, int]) -> str:
        """See that every passage is in it."""
        held, passages = len(reader), counts["passages"]
        return f"holds {counted(held, 'passage')}, not {passages}" if held != passages else ""


def _write(context: BuildContext) -> Mapping[str, int]:
    from hopyard.indexes.kinds.dense.hnsw import DenseIndex

    ids, vectors = context.corpus.vectors(context.options.embedding)
    index = DenseIndex.build(ids, vectors, lambda *done: context.progress("dense", *done))
    index.save(context.directory)
    context.progress("dense", len(ids), len(ids))
    return {"vectors": len(ids)}


KIND: Final = _Dense()
