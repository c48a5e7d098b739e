"""The first lines of pages, which often say what the rest of a page is about.

A table that begins below them is a passage of its own, and the lines are in the passage before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from hopyard.indexes.corpus.records import PAGE_END

if TYPE_CHECKING:
    from hopyard.indexes.corpus.snapshot import Snapshot

__all__ = ("last_page", "page_heads")

_LINES: Final = 4
_LONGEST: Final = 150
"""Characters of a line."""
_SAYS: Final = re.compile(r"[^\W\d_]{3}")


def page_heads(
    corpus: Snapshot, places: Iterable[tuple[str, str]] | None = None
) -> dict[tuple[str, str], str]:
    """The first lines of each page, by the document's id and the page's number.

    Args:
        places: The documents and pages of the passages that it is for; None for all.
    """
    if places is None:
        places = ((document, pages) for _, document, pages, _ in corpus.places())
    paged = {document for document, pages in places if pages}
    return {
        (name, str(number)): head for name in sorted(paged) for number, head in _heads(corpus, name)
    }


def last_page(pages: str) -> str:
    """The last of the pages that a passage is on. The head of an earlier page may be above it."""
    return pages.rpartition("-")[2]


def _heads(corpus: Snapshot, document_id: str) -> Iterator[tuple[int, str]]:
    [document] = corpus.documents([document_id])
    for number, page in enumerate(str(document.text).split(PAGE_END), start=1):
        lines = (line.strip() for line in page.splitlines() if _SAYS.search(line))
        yield number, "\n".join(line[:_LONGEST] for line in islice(lines, _LINES))
