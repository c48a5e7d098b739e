"""From names to entities: spellings of a name are joined, homonyms are split.

Only names with the same letters are joined. Joining `J. Smith` with `John Smith` too, where their
vectors and passages are alike, found no more: recall@5 on MuSiQue was 0.1 points lower with it
(200 questions, 178 names), and on MultiHop-RAG the same.

The result depends on the set of names, mentions and passages alone. It is computed again for each
generation, so what is added and removed leaves no trace.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.resolve.senses import (
    Passages,
    Sense,
    Split,
    choose_senses,
    find_senses,
)
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.indexes.text.variants import is_number, spelling


@dataclass(frozen=True, eq=False)
class Entities:
    """The things that the names of a corpus stand for."""

    names: tuple[str, ...]
    """[e] The normalised name of each entity; sorted together with `senses`."""
    senses: tuple[str, ...]
    """[e] Which thing of that name it is: a title; "" for the name in general."""
    of_mention: NDArray[np.int64]
    """[m] The entity of each mention."""
    splits: tuple[Split, ...]
    """Senses that are entities of their own, sorted by name and sense."""

    def __len__(self) -> int:
        return len(self.names)


def resolve_entities(
    names: Sequence[str], mentions: NDArray[np.int64], passages: Passages
) -> Entities:
    """The entity of each mention.

    Args:
        names: Distinct normalised names, sorted by their UTF-8 bytes.
        mentions: [m, 2] Row of a name, row of the passage that mentions it. A pair may be repeated;
            a fact's subject and object are mentions, too.

    Returns:
        The entities that have a mention.
    """
    row = {name: number for number, name in enumerate(names)}
    senses = {row[name]: found for name, found in find_senses(passages).items() if name in row}
    titled = _titled(row, senses)
    root = _roots(names, np.bincount(mentions[:, 0], minlength=len(names)), titled)
    # The sense of a name follows it when another spelling is the more frequent one.
    by_root: dict[int, list[Sense]] = defaultdict(list)
    for name, found in senses.items():
        by_root[int(root[name])] += found
    sense = np.full(len(mentions), -1, dtype=np.int64)
    base = root[mentions[:, 0]]
    for group, here in zip(by_root.values(), _places(base, list(by_root)), strict=True):
        group.sort(key=lambda item: item.label)
        sense[here] = choose_senses(group, mentions[here, 1].tolist(), passages.vectors)
    whole = _places(mentions[:, 0], list(titled))
    for (name, label), here in zip(titled.values(), whole, strict=True):
        base[here] = root[name]
        labels = [item.label for item in by_root[int(root[name])]]
        sense[here] = labels.index(label)
    return _number(names, base, sense, by_root)


def _roots(
    names: Sequence[str], counts: NDArray[np.int64], alone: Container[int]
) -> NDArray[np.int64]:
    """[n] For each name the most frequent of its spellings, the first of several.

    Args:
        counts: [n] Mentions of each name.
        alone: Rows of names that take no part.
    """
    spelled: dict[str, list[int]] = defaultdict(list)
    for row, name in enumerate(names):
        if row not in alone and not is_number(name):
            spelled[spelling(name)].append(row)
    roots = np.arange(len(names))
    for rows in spelled.values():
        roots[rows] = max(rows, key=lambda row: (counts[row], -row))
    return roots


def _places(values: NDArray[np.int64], wanted: Sequence[int]) -> list[NDArray[np.int64]]:
    """Where each of some values stands among values [m], ascending; one sort serves them all."""
    order = np.argsort(values, kind="stable")
    ends = np.searchsorted(values, wanted, "right", sorter=order)
    starts = np.searchsorted(values, wanted, "left", sorter=order)
    return [order[start:end] for start, end in zip(starts, ends, strict=True)]


def _titled(
    row: dict[str, int], senses: dict[int, tuple[Sense, ...]]
) -> dict[int, tuple[int, str]]:
    """Names that are a whole title, as `john smith footballer`: its bare name and the sense."""
    found: dict[int, tuple[int, str]] = {}
    for name, group in senses.items():
        for sense in group:
            full = row.get(normalise_keyword(sense.label))
            if full is not None and full not in senses:
                found[full] = (name, sense.label)
    return found


def _number(
    names: Sequence[str],
    base: NDArray[np.int64],
    sense: NDArray[np.int64],
    by_root: dict[int, list[Sense]],
) -> Entities:
    """Number the pairs of a name and a sense in their order."""
    pairs, of_mention, counts = np.unique(
        np.stack([base, sense], axis=1), axis=0, return_inverse=True, return_counts=True
    )
    labels = [by_root[name][place].label if place >= 0 else "" for name, place in pairs.tolist()]
    own = [names[name] for name in pairs[:, 0]]
    splits = [
        Split(name=name, sense=label, mentions=int(count))
        for name, label, count in zip(own, labels, counts, strict=True)
        if label
    ]
    return Entities(
        names=tuple(own),
        senses=tuple(labels),
        of_mention=of_mention.reshape(-1).astype(np.int64),
        splits=tuple(splits),
    )
