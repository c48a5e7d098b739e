"""The first step of a build, the rows of documents and passages, and the report of it all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Set, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hopyard.indexes.build_context import Progress
from hopyard.indexes.corpus.records import BadItem, Document, Passage, storable
from hopyard.indexes.corpus.store import CorpusStore
from hopyard.indexes.passages.chunking import Chunker
from hopyard.state.errors import CorpusError
from hopyard.state.usage import Usage, no_usage


@dataclass(slots=True)
class BuildReport:
    """The report of a build."""

    added: int = 0
    """Documents that are new."""
    updated: int = 0
    """Documents that changed in text, title, metadata, source, or in how they are chunked."""
    removed: int = 0
    """Documents taken out."""
    unchanged: int = 0
    """Documents given that the index held as they are."""
    passages: int = 0
    """Passages in the index now."""
    embedded: int = 0
    """Passage texts embedded; all others had their vector."""
    bad: list[BadItem] = field(default_factory=list)
    """Documents left out, and why."""
    warnings: list[str] = field(default_factory=list)
    """Facts about the index that the user should know, a sentence each."""
    usage: Usage = field(default_factory=no_usage)
    """Model calls, without the embedding model's."""
    seconds: float = 0.0

    @property
    def changed(self) -> bool:
        """Whether the index holds other documents than before."""
        return bool(self.added or self.updated or self.removed)


_TOLD: Final = 200
"""Passages of a document between two reports of progress."""

Gone = Callable[[Mapping[str, str], Set[str], Set[str]], Set[str]]
"""Says which documents to remove. Its arguments are the source of each live document by its id, the
ids of the documents that were read just now, and the ids of those that were bad."""


class _StoppedError(Exception):
    """The build was cancelled while a thread worked for it."""


class _UnusableError(Exception):
    """A document cannot be cut into passages."""


@dataclass
class PutRun:
    """Cuts documents and writes them down, one in memory at a time.

    Attributes:
        report: It is filled as the work proceeds.
        progress: Called with the stages `read` (documents) and `passages`.
        stop: Once it is set, the work ends with an error.
    """

    directory: Path
    store: CorpusStore
    generation: int
    report: BuildReport
    progress: Progress
    stop: threading.Event = field(default_factory=threading.Event)
    _cut: int = 0
    """Passages cut so far."""

    def put(self, documents: Iterable[Document], chunker: Chunker, gone: Gone | None) -> None:
        """Write all rows in one transaction; see `BuildRun.put`."""
        report = self.report
        total = len(documents) if isinstance(documents, Sized) else 0
        seen: dict[str, str] = {}
        bad: set[str] = set()
        with self.store.transaction():
            before = self.store.count()
            number = 0
            for number, document in enumerate(map(storable, documents), start=1):
                self._check_stop()
                self.progress("read", number, total)
                fingerprint = chunker.fingerprint(document)
                if (twin := seen.get(document.id)) is not None:
                    if twin != fingerprint:
                        self._leave_out(document, f"id {document.id!r} is taken by another text")
                    continue
                held = self.store.fingerprint(document.id)
                if held == fingerprint:
                    report.unchanged += 1
                elif self._put_one(document, fingerprint, chunker):
                    if held is None:
                        report.added += 1
                    else:
                        report.updated += 1
                else:
                    bad.add(document.id)
                    continue
                seen[document.id] = fingerprint
            self.progress("read", number, number)
            if self._cut:
                self.progress("passages", self._cut, self._cut)
            if gone and (lost := gone(self.store.sources(), seen.keys(), bad)):
                self.store.remove(lost, self.generation)
                report.removed = len(lost)
            left = before + report.added - report.removed
            check_not_empty(self.directory, left, report)

    def _put_one(self, document: Document, fingerprint: str, chunker: Chunker) -> bool:
        try:
            passages = self._told(document, chunker.split(document))
            self.store.put(document, fingerprint, passages, self.generation)
        except _UnusableError as error:
            self._leave_out(document, str(error))
            return False
        return True

    def _told(self, document: Document, passages: Iterator[Passage]) -> Iterator[Passage]:
        """The passages of a document, with reports to the progress callback."""
        length, letters, before = len(document.text), 0, self._cut
        try:
            for number, passage in enumerate(passages, start=1):
                yield passage
                letters += len(passage.text)
                self._cut = before + number
                if number % _TOLD == 0:
                    self._check_stop()
                    # The letters say how many passages a long document will have.
                    expected = before + max(number, round(number * length / letters))
                    self.progress("passages", self._cut, expected)
        except CorpusError as error:
            raise _UnusableError(str(error)) from error
        self.progress("passages", self._cut, 0)

    def _check_stop(self) -> None:
        if self.stop.is_set():
            raise _StoppedError

    def _leave_out(self, document: Document, reason: str) -> None:
        self.report.bad.append(BadItem(document.source or document.id, reason))


def check_not_empty(directory: Path, documents: int, report: BuildReport) -> None:
    """See that an index keeps some document.

    Raises:
        CorpusError: It would have none.
    """
    if not documents:
        reason = f" ({report.bad[0]})" if report.bad else ""
        raise CorpusError(
            f"The index {str(directory)!r} would hold no document{reason}: give it some, "
            "or delete the directory."
        )
