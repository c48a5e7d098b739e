"""The documents that passages belong to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.sparse.names import DocumentNames
from hopyard.state.references import file_name

if TYPE_CHECKING:
    from hopyard.indexes.corpus.snapshot import Snapshot

__all__ = ("Documents", "documents_of")

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
    numbers: dict[str, int] = {}
    rows: list[int] = []
    beginnings: dict[str, str] = {}
    for passage in corpus.passages():
        name = passage.document_id
        rows.append(numbers.setdefault(name, len(numbers)))
        # The only passage of a document is found by its own words.
        if passage.position == 0 and passage.id != name:
            beginnings[name] = passage.text[:_BEGINNING]

    def names() -> Iterator[tuple[str, str]]:
        outlines = {document.id: document for document in corpus.outlines()}
        for name in numbers:
            document = outlines[name]
            path = document.source if file_name(document.source) else ""
            known = [str(value) for value in document.metadata.values()]
            # A report on one year is dated in the next.
            dates = [value for value in known if value[:1].isdigit()]
            called = [document.title, path, *(value for value in known if value not in dates)]
            yield "\n".join(called), "\n".join([*dates, beginnings.get(name, "")])

    return Documents(np.array(rows, dtype=np.int32), DocumentNames.build(names()))
