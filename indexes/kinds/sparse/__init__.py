"""The kind `sparse`: BM25."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hopyard.indexes.build_context import BuildContext, BuildOptions
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kind import IndexKind
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.corpus.records import Passage
    from hopyard.indexes.index import Index
    from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
    from hopyard.indexes.kinds.sparse.words import Words

__all__ = ("KIND",)


_TOLD: Final = 1000
"""Passages between two reports of progress."""


class _Sparse(IndexKind):
    name = "sparse"
    about = "The passages' words for BM25. Read by sparse and hybrid search."

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        """Index all passages, or of a large index what has changed."""
        return await in_thread(_write, context)

    def open(self, directory: Path) -> SparseIndex:
        """Open the word index."""
        from hopyard.indexes.kinds.sparse.bm25 import SparseIndex

        return SparseIndex.load(directory)

    def is_current(self, directory: Path, options: BuildOptions) -> bool:
        """Whether it has the files of today."""
        del options
        return self._is_of_today(directory)

    def keeps_removed(self, directory: Path) -> bool:
        """Whether the files have words of removed passages."""
        from hopyard.indexes.arrays.growing import Rows

        return self._is_of_today(directory) and Rows.load(directory).has_removed

    def _is_of_today(self, directory: Path) -> bool:
        from hopyard.indexes.kinds.sparse.bm25 import SparseIndex

        return SparseIndex.is_of_today(directory)

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
    from hopyard.indexes.kinds.sparse.page_heads import page_heads
    from hopyard.indexes.kinds.sparse.words import Words

    corpus, words = context.corpus, Words(context.options.language)
    count = corpus.counts()["passages"]
    if not _extended(context, words):
        heads = page_heads(corpus)
        fields = _fields(
            corpus.passages(), heads, lambda done: context.progress("sparse", done, count)
        )
        index = SparseIndex.build(corpus.passage_ids(), fields, words, documents_of(corpus))
        index.save(context.directory)
    context.progress("sparse", count, count)
    return {"words": SparseIndex.load(context.directory).vocabulary_size}


def _extended(context: BuildContext, words: Words) -> bool:
    """Write the last generation's index with what has changed; False if that cannot be."""
    from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
    from hopyard.indexes.kinds.sparse.documents import changed_names
    from hopyard.indexes.kinds.sparse.page_heads import page_heads

    if (last := context.extends) is None or not KIND.is_current(last, context.options):
        return False
    index, corpus = SparseIndex.load(last), context.corpus
    if index.words != words:
        return False
    changes = corpus.changed()
    added = [*changes.added]
    context.progress("sparse", 0, len(added))
    heads = page_heads(corpus, ((each.document_id, each.pages) for each in corpus.passages(added)))
    fields = _fields(corpus.passages(added), heads)
    names = changed_names(corpus, changes)
    return index.extend(last, context.directory, changes, fields, names)


def _fields(
    passages: Iterable[Passage],
    heads: Mapping[tuple[str, str], str],
    tell: Callable[[int], object] = id,
) -> Iterator[tuple[str, ...]]:
    """The fields of passages whose words count."""
    from hopyard.indexes.kinds.sparse.page_heads import last_page
    from hopyard.indexes.text.page_numbers import page_terms

    for number, passage in enumerate(passages):
        if number % _TOLD == 0:
            tell(number)
        head = heads.get((passage.document_id, last_page(passage.pages)), "")
        head = " ".join([head, *page_terms(passage.pages)])
        yield passage.text, passage.title, passage.section, passage.header, head


KIND: Final = _Sparse()
