"""Homonyms: one name that several documents are about, each in another sense.

A qualifier in brackets at the end of a title says that the name has several senses: `John Smith
(footballer)`, `John Smith (bishop)`. So do documents of one title without a qualifier, if they are
not alike. A name without such documents is one entity.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from hopyard.indexes.text.keywords import normalise_keyword

_QUALIFIED: Final = re.compile(r"(\S.*?)\s+[(（][^()（）]+[)）]\s*")
_UNLIKE: Final = 0.2
"""Documents of one title without a qualifier are of one sense if the cosine of their vectors is at
least this, directly or through further documents of the title."""
_BLOCK: Final = 4096


@dataclass(frozen=True, eq=False)
class Passages:
    """The passages of a corpus, as far as entities depend on them."""

    documents: Sequence[str]
    """[p] Id of the document that each passage is cut from."""
    titles: Sequence[str]
    """[p] Title of that document; may be empty."""
    vectors: NDArray[np.float32]
    """[p, d] Of length 1."""


@dataclass(frozen=True, eq=False)
class Sense:
    """One of the things that a name stands for."""

    label: str
    """Its title; with the id of its first document, where two senses have the same title."""
    passages: frozenset[int]
    """Rows of the passages of its documents."""
    vector: NDArray[np.float32]
    """[d] Mean of their vectors, of length 1 or 0."""


class Split(BaseModel, frozen=True):
    """One sense of a name, as people read it."""

    name: str
    """The normalised name."""
    sense: str
    """The label of the entity of this sense."""
    mentions: int
    """Mentions of the name that belong to it."""


def bare_name(title: str) -> str:
    """A title without a qualifier in brackets at its end, normalised.

    Examples:
        >>> bare_name("John Smith (footballer)")
        'john smith'
    """
    match = _QUALIFIED.fullmatch(title)
    return normalise_keyword(match[1] if match else title)


def find_senses(passages: Passages) -> dict[str, tuple[Sense, ...]]:
    """The names that have senses of their own.

    Returns:
        The senses by bare normalised name, in the order of their labels. A name has one sense only
        where a title is qualified and no other document has the bare title.
    """
    by_document: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, key in enumerate(zip(passages.titles, passages.documents, strict=True)):
        by_document[key].append(row)
    by_title: dict[str, list[tuple[str, list[int]]]] = defaultdict(list)
    for (title, document), rows in sorted(by_document.items()):
        by_title[title].append((document, rows))
    titles: dict[str, list[str]] = defaultdict(list)
    for title in by_title:
        if name := bare_name(title):
            titles[name].append(title)
    found: dict[str, tuple[Sense, ...]] = {}
    for name, group in titles.items():
        senses: list[Sense] = []
        for title in group:
            qualified = _QUALIFIED.fullmatch(title) is not None
            groups = _groups(by_title[title], passages, -1.0 if qualified else _UNLIKE)
            for document, rows in groups:
                label = title if len(groups) == 1 else f"{title} [{document}]"
                senses.append(Sense(label, frozenset(rows), mean_vector(passages.vectors, rows)))
        if len(senses) > 1 or _QUALIFIED.fullmatch(group[0]):
            found[name] = tuple(sorted(senses, key=lambda sense: sense.label))
    return found


def choose_senses(
    senses: Sequence[Sense],
    rows: Sequence[int],
    vectors: NDArray[np.float32],
    *,
    near: float = 0.45,
    margin: float = 0.1,
) -> list[int]:
    """The sense in which each passage uses the name.

    Args:
        rows: [k] Rows of the passages that mention it.
        vectors: float32 [p, d], of length 1: all passages.
        near: Least cosine of a passage and a sense.
        margin: How much nearer than the second sense the nearest has to be.

    Returns:
        [k] The place in `senses`: where the passage is cut from a document of the sense, or where
        that sense is clearly the nearest. -1 where neither holds.
    """
    home = {row: place for place, sense in enumerate(senses) for row in sense.passages}
    every = np.stack([sense.vector for sense in senses]).astype(np.float64)
    chosen: list[int] = []
    for row in rows:
        # Row by row: a blocked product could round one passage in two ways.
        cosine = (every * vectors[row]).sum(axis=1)
        place = int(cosine.argmax())
        second = np.delete(cosine, place).max(initial=-1.0)
        clear = cosine[place] >= near and cosine[place] - second >= margin
        chosen.append(home.get(row, place if clear else -1))
    return chosen


def _groups(
    documents: Sequence[tuple[str, list[int]]], passages: Passages, unlike: float
) -> list[tuple[str, list[int]]]:
    """Documents that are alike, directly or through others: the first id, and all passages."""
    means = np.stack([mean_vector(passages.vectors, rows) for _, rows in documents])
    group_of = np.full(len(documents), -1)
    groups: list[tuple[str, list[int]]] = []
    for first in range(len(documents)):
        if group_of[first] >= 0:
            continue
        group_of[first] = len(groups)
        reached = [first]
        while reached:
            # One row of cosines at a time: thousands of documents may have one title.
            alike = (means @ means[reached.pop()] >= unlike) & (group_of < 0)
            group_of[alike] = len(groups)
            reached += np.flatnonzero(alike).tolist()
        members = np.flatnonzero(group_of == len(groups)).tolist()
        rows = [row for place in members for row in documents[place][1]]
        groups.append((documents[first][0], rows))
    return groups


def mean_vector(vectors: NDArray[np.float32], rows: Sequence[int]) -> NDArray[np.float32]:
    """[d] The mean of some rows of `vectors`, scaled to length 1; 0 where they cancel out."""
    total = np.zeros(vectors.shape[1], np.float64)
    # In float64, so that the order of the passages does not matter.
    for start in range(0, len(rows), _BLOCK):
        total += vectors[rows[start : start + _BLOCK]].astype(np.float64).sum(axis=0)
    length = float(np.linalg.norm(total))
    return np.asarray(total / length if length else total, dtype=np.float32)
