"""An index directory, opened for search."""

from __future__ import annotations

import threading
from collections.abc import Sequence, Set
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from hopyard.indexes.corpus.checks import check_rows
from hopyard.indexes.corpus.manifest import (
    Manifest,
    check_embedding_name,
    check_files,
    damage_error,
    generation_directory,
    read_manifest,
)
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.filters.allowed import allowed_passages, readable_passages, undated_note
from hopyard.indexes.filters.asked import asked_conditions
from hopyard.indexes.filters.fields import Fields, load_fields
from hopyard.indexes.kind import KINDS, with_needs
from hopyard.state.errors import IndexMissingError

if TYPE_CHECKING:
    from hopyard.models.embedder import Embedder

__all__ = ("Index",)

_FILTERS: Final = 16
"""Filters whose passages are kept: the steps of a run ask with the same one again."""
_CALLERS: Final = 16
"""Sets of groups whose parts of the index are kept."""


class Index:
    """One generation of an index, for search. Any thread may use it.

    A kind is opened when its reader is first asked for. A build that ends meanwhile does not change
    what an open index finds. After the second one `passages` fails with an `IndexMissingError` that
    says to open the index again.
    """

    def __init__(
        self, directory: Path, manifest: Manifest, corpus: Snapshot, whole: Index | None = None
    ) -> None:
        """Put an index together from its parts; see `open`."""
        self.whole = whole
        self.directory = directory.absolute()
        self._given = str(directory)
        self.manifest = manifest
        self.corpus = corpus
        self._readers: dict[str, Any] = {}
        every = corpus if whole is None else whole.corpus
        self._readable = readable = None if whole is None else readable_passages(every, corpus)
        self._allowed = lru_cache(_FILTERS)(partial(allowed_passages, every, readable=readable))
        self._undated = lru_cache(_FILTERS)(partial(undated_note, every, readable=readable))
        self._parts: dict[tuple[str, ...], Index] = {}
        self._opening = threading.RLock()

    @classmethod
    def open(cls, directory: Path, embedder: Embedder | None = None) -> Self:
        """Open the current generation of an index.

        Args:
            embedder: The model that questions will be embedded with, which must have the name of
                the index's own; None where nothing will be embedded. It is not asked here.

        Raises:
            IndexMissingError: There is no index, or a file of it is missing or damaged; the
                message names the file and says what to run.
            EmbeddingMismatchError: Another embedding model made the index.
        """
        manifest = read_manifest(directory)
        while True:
            if embedder is not None:
                check_embedding_name(directory, manifest, embedder)
            try:
                return cls._load(directory, manifest)
            except IndexMissingError:
                # Two builds may have ended since the manifest was read.
                latest = read_manifest(directory)
                if latest.generation == manifest.generation:
                    raise
                manifest = latest

    @classmethod
    def _load(cls, directory: Path, manifest: Manifest) -> Self:
        check_files(directory, manifest)
        # Absolute: the corpus is read later too, when the process may be in another folder.
        corpus = Snapshot(directory.absolute(), manifest.generation)
        try:
            check_rows(corpus, manifest)
        except BaseException:
            corpus.close()
            raise
        return cls(directory, manifest, corpus)

    def readable_by(self, groups: Sequence[str] | None) -> Index:
        """The index as a caller may read it: no document, and nothing made of a document, beside.

        Args:
            groups: The caller's groups; None gives the whole index.
        """
        if groups is None:
            return self
        wanted = tuple(groups)
        with self._opening:
            if wanted not in self._parts:
                self._parts[wanted] = self._part_for(wanted)
                for oldest in list(self._parts)[:-_CALLERS]:  # a run may still use it
                    del self._parts[oldest]
            return self._parts[wanted]

    def _part_for(self, groups: tuple[str, ...]) -> Index:
        manifest = self.manifest
        corpus = Snapshot(self.directory, manifest.generation, manifest.rights, groups)
        counts = {**manifest.counts, **corpus.counts()}
        if counts == manifest.counts:  # the caller may read all
            corpus.close()
            return self
        of_part = manifest.model_copy(update={"counts": counts})
        return Index(Path(self._given), of_part, corpus, self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the corpus store and the readers."""
        with self._opening:
            for part in self._parts.values():
                if part is not self:
                    part.close()
            for reader in self._readers.values():
                if hasattr(reader, "close"):
                    reader.close()
            self._readers.clear()
        self.corpus.close()

    def has(self, kind: str) -> bool:
        """Whether the index has a kind."""
        return kind in self.manifest.kinds

    def without(self, kind: str, wanted_by: str = "") -> str:
        """The sentence that says that a kind is missing, and how to add it."""
        kinds = ",".join(with_needs((*self.manifest.kinds, kind)))
        needed = f", which {wanted_by} needs" if wanted_by else ""
        return (
            f"The index {self._given!r} has no {kind} part{needed}: "
            f"run `hopyard index build PATH… --out {self._given} --with {kinds}`."
        )

    def reader(self, kind: str, wanted_by: str = "") -> Any:
        """The reader of a kind, opened once. The first call may block.

        Args:
            wanted_by: The search or strategy that needs it, for the error.

        Raises:
            IndexMissingError: The index has no such kind, or its files are damaged.
            UsageError: The package that offers the kind is not installed.
        """
        with self._opening:
            if kind not in self._readers and self.whole is not None:
                whole = self.whole.reader(kind, wanted_by)
                self._readers[kind] = KINDS[kind].readable(whole, self)
            if kind not in self._readers:
                folder = self.kind_directory(kind, wanted_by)
                reader = KINDS[kind].open(folder)
                if problem := KINDS[kind].check(reader, self.manifest.counts):
                    raise damage_error(folder, problem)
                self._readers[kind] = reader
            return self._readers[kind]

    def kind_directory(self, kind: str, wanted_by: str = "") -> Path:
        """The folder of a kind.

        Raises:
            IndexMissingError: The index has no such kind.
        """
        if not self.has(kind):
            raise IndexMissingError(self.without(kind, wanted_by))
        return generation_directory(self.directory, self.manifest.generation) / kind

    def passages(self, passage_ids: Sequence[str]) -> list[Passage]:
        """Fetch passages, in the order of their ids.

        Raises:
            IndexMissingError: A passage is not in the index.
        """
        return self.corpus.get(passage_ids)

    def allowed(self, where: Sequence[str]) -> Set[str] | None:
        """The ids of the passages that a filter lets through and the caller may read.

        None where there is no filter and the caller may read all.

        Args:
            where: Conditions, as `--where` takes them.

        Raises:
            UsageError: No passage has a field that a condition names.
        """
        return self._allowed(tuple(where)) if where or self.whole is not None else None

    def asked(self, question: str) -> list[str]:
        """The conditions that a question itself names, as `where` takes them.

        Only values of passages that the caller may read count. An index of an older version of
        Hopyard gives none: to look for values, it would be read whole.
        """
        if (fields := self._fields) is None:
            return []
        return asked_conditions(fields, question, self._readable)

    @cached_property
    def _fields(self) -> Fields | None:
        return load_fields((self.corpus if self.whole is None else self.whole.corpus).folder)

    def undated_note(self, where: Sequence[str]) -> str:
        """A sentence about the documents that a filter leaves out because they have no date; ""."""
        return self._undated(tuple(where)) if where else ""

    def neighbours(self, passage_id: str, before: int = 1, after: int = 1) -> list[Passage]:
        """A passage between those that come before and after it in its document.

        Args:
            passage_id: The passage, which is part of the answer.

        Returns:
            Passages in the order of the document.

        Raises:
            IndexMissingError: The passage is not in the index.
        """
        return self.corpus.neighbours(passage_id, before, after)
