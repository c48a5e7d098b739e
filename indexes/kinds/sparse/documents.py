"""The documents that passages belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.sparse.names import DocumentNames
from hopyard.state.references import file_name

if TYPE_CHECKING:
    from hopyard.indexes.corpus.records import Document, Passage
    from hopyard.indexes.corpus.snapshot import Changes, Snapshot

__all__ = ("Documents", "changed_names", "documents_of")

_BEGINNING: Final = 1000
"""Characters of a document's text that may say what it is."""


class Documents(NamedTuple):
    """Which passages belong together."""

    rows: NDArray[np.int32]
    """The number of each passage's document."""
    names: DocumentNames
    """By these numbers."""


def documents_of(corpus: Snapshot) -> Documents:
    """The documents of all passages, which are sorted by id."""
    owners: list[str] = []
    beginnings: dict[str, str] = {}
    for passage in corpus.passages():
        owners.append(passage.document_id)
        _take_beginning(passage, beginnings)
    ids = sorted(set(owners))
    numbers = {name: number for number, name in enumerate(ids)}
    rows = np.array([numbers[name] for name in owners], dtype=np.int32)
    outlines = (each for each in corpus.outlines() if each.id in numbers)
    return Documents(rows, DocumentNames.build(ids, names_of(outlines, beginnings)))


def changed_names(corpus: Snapshot, changes: Changes) -> Iterator[tuple[str, str]]:
    """The names of the documents that a change added."""
    beginnings: dict[str, str] = {}
    for passage in corpus.passages([*changes.added]):
        _take_beginning(passage, beginnings)
    return names_of(corpus.outlines(changes.added_documents), beginnings)


def _take_beginning(passage: Passage, beginnings: dict[str, str]) -> None:
    # The only passage of a document is found by its own words.
    if passage.position == 0 and passage.id != passage.document_id:
        beginnings[passage.document_id] = passage.text[:_BEGINNING]


def names_of(
    outlines: Iterable[Document], beginnings: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """The names of documents, and lines that may say what they are.

    Args:
        beginnings: The first words of documents, by their ids.
    """
    for document in outlines:
        path = document.source if file_name(document.source) else ""
        known = [str(value) for value in document.metadata.values()]
        # A report on one year is dated in the next.
        dates = [value for value in known if value[:1].isdigit()]
        called = [document.title, path, *(value for value in known if value not in dates)]
        yield "\n".join(called), "\n".join([*dates, beginnings.get(document.id, "")])
