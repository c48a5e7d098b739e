"""Reading inside one document: its name, words in it, and the pages around a passage.

All three read the corpus alone, so they work on every index.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence, Set
from itertools import accumulate
from pathlib import PurePath
from typing import Final, NamedTuple

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.index import Index
from hopyard.indexes.text.capitals import QUOTES
from hopyard.state.references import SECTION_MARK
from hopyard.state.text.tokens import tokens_of

AROUND: Final = 2000
"""Tokens of the pages around a passage, at most."""
_MOST_AROUND: Final = 40
"""Passages before and after a passage that are looked at."""
_UNPAGED: Final = 600
"""Tokens around a passage that count as its page, where the document has no pages: about as many as
a page of a report has."""
_LEAST_ALIKE: Final = 0.5
"""Dice coefficient of two names that are near each other, at least."""
_SIGNS: Final = re.compile(r"[\W_]+")
_NUMBER: Final = re.compile(r"\d+")


class DocumentName(NamedTuple):
    """A document, and how a name fits it.

    Attributes:
        title: Its title, or its file where it has none.
        exact: Whether it has that very name.
    """

    id: str
    title: str
    exact: bool


def named_document(index: Index, name: str) -> DocumentName | None:
    """The one document with a name: its id, title or file, or the nearest title or file to it.

    Signs, spaces and capitals do not count. A near name has all numbers of the name: the report of
    2018 is not the report of 2019.

    Args:
        name: As a reader writes it, or as `Passage.heading` gives it.

    Returns:
        None if no name is near, or if several are equally near.
    """
    asked = [name, *(name.partition(mark)[0] for mark in (SECTION_MARK, " ("))]
    wanted, shortest = {_letters(each) for each in asked} - {""}, min(asked, key=len)
    near: list[tuple[float, DocumentName]] = []
    for document_id, title, source in index.corpus.names():
        shown, path = title or source or document_id, PurePath(source)
        if document_id == name:
            return DocumentName(document_id, shown, exact=True)
        forms = (title, path.stem, document_id, path.name, source)
        if not wanted.isdisjoint(map(_letters, forms)):
            near.append((2.0, DocumentName(document_id, shown, exact=True)))
        elif (likeness := max(_likeness(shortest, form) for form in forms[:2])) >= _LEAST_ALIKE:
            near.append((likeness, DocumentName(document_id, shown, exact=False)))
    highest = max((likeness for likeness, _ in near), default=0.0)
    nearest = [named for likeness, named in near if likeness == highest]
    return nearest[0] if len(nearest) == 1 else None


def find_inside(
    index: Index, document_id: str, words: str, k: int, allowed: Set[str] | None = None
) -> list[tuple[str, float]]:
    """Find the passages of a document with some words.

    Passages that have the words as they are written come first. Both groups are in the order of
    BM25, whose inverse document frequencies count the passages of this document only.

    Args:
        words: Words, or an identifier such as `4.2.1`.
        k: Passages at most.
        allowed: Ids of the passages that may be found; None where all may.

    Returns:
        At most k (passage id, score) pairs, the best first.
    """
    from hopyard.indexes.kinds.sparse.bm25 import SparseIndex
    from hopyard.indexes.kinds.sparse.words import Words
    from hopyard.indexes.named import stands_in

    passages = [
        passage
        for passage in index.corpus.passages_of(document_id)
        if allowed is None or passage.id in allowed
    ]
    if not passages:
        return []
    ids = [passage.id for passage in passages]
    texts = [(passage.embedded_text,) for passage in passages]
    sparse = SparseIndex.build(ids, texts, Words(index.manifest.language))
    scores = dict(sparse.search(words, len(ids)))
    highest = max(scores.values(), default=0.0) + 1.0
    wanted = words.casefold()
    for passage in passages:
        text = " ".join(f"{passage.section} {passage.text}".split()).translate(QUOTES)
        if stands_in(text.casefold(), wanted):
            scores[passage.id] = highest + scores.get(passage.id, 0.0)
    # Stable: equals are in the order of the document.
    best = sorted((name for name in ids if name in scores), key=lambda name: -scores[name])
    return [(name, scores[name]) for name in best[:k]]


def pages_around(index: Index, passage_id: str, tokens: int = AROUND) -> list[Passage]:
    """A passage with the text before and after it in its document.

    The rest of its page comes first, then the pages beside it, passage by passage, while they fit.

    Args:
        passage_id: The passage, which is part of the result.
        tokens: Tokens of all passages together, at most.

    Returns:
        Passages that follow each other, in the order of the document.

    Raises:
        IndexMissingError: The passage is not in the index.
    """
    near = index.neighbours(passage_id, _MOST_AROUND, _MOST_AROUND)
    middle = next(row for row, passage in enumerate(near) if passage.id == passage_id)
    first = last = middle
    left = tokens - near[middle].tokens
    while sides := [row for row in (last + 1, first - 1) if 0 <= row < len(near)]:
        row = min(sides, key=lambda row: _distance(near, middle, row))
        left -= near[row].tokens
        if left < 0:
            break
        first, last = min(first, row), max(last, row)
    return near[first : last + 1]


def rest_of_pages(
    index: Index, passage_ids: Sequence[str], tokens: int, allowed: Set[str] | None = None
) -> list[Passage]:
    """The other passages of the pages that some passages are on.

    The page of the first passage comes first, its passages in the order of their distance. The
    first passage that does not fit ends the list.

    Args:
        passage_ids: The passages, the best first.
        tokens: Tokens of the result at most, estimated as for a chat model.
        allowed: Ids of the passages that may be read; None where all may.

    Raises:
        IndexMissingError: A passage is not in the index.
    """
    found = dict.fromkeys(passage_ids)
    rest: dict[str, Passage] = {}
    for name in found:
        for passage in _page_of(index, name):
            if passage.id in found or passage.id in rest:
                continue
            if allowed is not None and passage.id not in allowed:
                continue
            tokens -= tokens_of(passage.text)
            if tokens < 0:
                return list(rest.values())
            rest[passage.id] = passage
    return list(rest.values())


def _page_of(index: Index, passage_id: str) -> list[Passage]:
    """The passages of a passage's page, the nearest first."""
    near = index.neighbours(passage_id, _MOST_AROUND, _MOST_AROUND)
    middle = next(row for row, passage in enumerate(near) if passage.id == passage_id)
    rows = sorted(range(len(near)), key=lambda row: (abs(row - middle), -row))
    if own := _pages(near[middle]):
        return [near[row] for row in rows if not own.isdisjoint(_pages(near[row]))]
    sums = accumulate(tokens_of(near[row].text) for row in rows[1:])
    return [near[row] for row, used in zip(rows[1:], sums, strict=True) if used <= _UNPAGED]


def _pages(passage: Passage) -> set[int]:
    """The numbers of its pages: 3 and 4 of `3-4`."""
    numbers = [int(number) for number in _NUMBER.findall(passage.pages)]
    return set(range(numbers[0], numbers[-1] + 1)) if numbers else set()


def _distance(passages: Sequence[Passage], middle: int, row: int) -> tuple[int, int]:
    """How many pages, and then how many passages, lie between two passages."""
    pages = [_first_page(passages[each]) for each in (middle, row)]
    return (abs(pages[0] - pages[1]) if all(pages) else 0), abs(middle - row)


def _first_page(passage: Passage) -> int:
    number = _NUMBER.match(passage.pages)
    return int(number.group()) if number else 0


def _letters(name: str) -> str:
    return _SIGNS.sub("", name).casefold()


def _likeness(name: str, other: str) -> float:
    """Dice coefficient of the pairs of letters, 0 to 1; 0 if the other lacks one of its numbers.

    Digits are no letters: the forms of one year are alike in their numbers alone.
    """
    if not {*_NUMBER.findall(name)} <= {*_NUMBER.findall(other)}:
        return 0.0
    first, second = (_pairs(_NUMBER.sub("", _letters(each))) for each in (name, other))
    total = first.total() + second.total()
    return 2 * (first & second).total() / total if total else 0.0


def _pairs(letters: str) -> Counter[str]:
    return Counter(letters[place : place + 2] for place in range(len(letters) - 1))
