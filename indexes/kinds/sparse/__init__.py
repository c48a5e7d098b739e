"""The kind `sparse`: BM25."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kind import IndexKind
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.index import Index
    from hopyard.indexes.kinds.sparse.bm25 import SparseIndex

__all__ = ("KIND",)


_TOLD: Final = 1000
"""Passages between two reports of progress."""


class _Sparse(IndexKind):
    name = "sparse"
    about = "The passages' words for BM25. Read by sparse and hybrid search."

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        """Index all passages again: every score depends on the whole corpus."""
        return await in_thread(_write, context)

    def open(self, directory: Path) -> SparseIndex:
        """Open the word index."""
        from hopyard.indexes.kinds.sparse.bm25 import SparseIndex

        return SparseIndex.load(directory)

    def is_current(self, directory: Path, options: BuildOptions) -> bool:
        """Whether it has the files of today."""
        del options
        return (directory / "names.count.npy").exists()

    def check(self, reader: SparseIndex, counts: Mapping[str, int]) -> str:
        """See that every passage is in it."""
        held, passages = len(reader), counts["passages"]
        return f"holds {counted(held, 'passage')}, not {passages}" if held != passages else ""

    def readable(self, reader: SparseIndex, index: Index) -> SparseIndex:
        """The words of the passages that a caller may read."""
        from hopyard.indexes.kinds.sparse.readable import ReadableSparse

        return ReadableSparse(reader, index.allowed(()) or frozenset())


def _write(context: BuildContext) -> Mapping[str, int]:
    from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
    from hopyard.indexes.kinds.sparse.documents import documents_of
    from hopyard.indexes.kinds.sparse.page_heads import last_page, page_heads
    from hopyard.indexes.kinds.sparse.words import Words

    corpus = context.corpus
    ids = corpus.passage_ids()  # in the order of `passages`
    heads = page_heads(corpus)

    def fields() -> Iterator[tuple[str, ...]]:
        for number, passage in enumerate(corpus.passages()):
            if number % _TOLD == 0:
                context.progress("sparse", number, len(ids))
            head = heads.get((passage.document_id, last_page(passage.pages)), "")
            yield passage.text, passage.title, passage.section, passage.header, head

    words = Words(context.options.language)
    index = SparseIndex.build(ids, fields(), words, documents_of(corpus))
    index.save(context.directory)
    context.progress("sparse", len(ids), len(ids))
    return {"words": index.vocabulary_size}


KIND: Final = _Sparse()
