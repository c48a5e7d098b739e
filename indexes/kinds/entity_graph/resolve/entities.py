"""From names to entities: variants are merged, homonyms are split.

The result depends on the set of names, mentions and passages alone. It is computed again for each
generation from the stored vectors, so what is added and removed leaves no trace.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.resolve.merging import Merge, merge_names
from hopyard.indexes.kinds.entity_graph.resolve.senses import (
    Passages,
    Sense,
    Split,
    choose_senses,
    find_senses,
)
from hopyard.indexes.kinds.entity_graph.resolve.synonyms import Synonyms
from hopyard.indexes.text.keywords import normalise_keyword


@dataclass(frozen=True, eq=False)
class Entities:
    """The things that the names of a corpus stand for."""

    names: tuple[str, ...]
    """[e] The normalised name of each entity; sorted together with `senses`."""
    senses: tuple[str, ...]
    """[e] Which thing of that name it is: a title; "" for the name in general."""
    of_mention: NDArray[np.int64]
    """[m] The entity of each mention."""
    merges: tuple[Merge, ...]
    """Names that count as another, sorted by name."""
    splits: tuple[Split, ...]
    """Senses that are entities of their own, sorted by name and sense."""

    def __len__(self) -> int:
        return len(self.names)


def resolve_entities(
    names: Sequence[str],
    mentions: NDArray[np.int64],
    passages: Passages,
    vectors: NDArray[np.float32],
    neighbours: Synonyms,
) -> Entities:
    """The entity of each mention.

    Args:
        names: Distinct normalised names, sorted by their UTF-8 bytes.
        mentions: [m, 2] Row of a name, row of the passage that mentions it. A pair may be repeated;
            a fact's subject and object are mentions, too.
        vectors: float32 [n, d], of length 1: the names.
        neighbours: `find_synonyms` of the names and vectors.

    Returns:
        The entities that have a mention.
    """
    row = {name: number for number, name in enumerate(names)}
    senses = {row[name]: found for name, found in find_senses(passages).items() if name in row}
    titled = _titled(row, senses)
    merges = merge_names(
        names,
        vectors,
        mentions,
        passages.vectors,
        neighbours,
        alone={names[name] for name in titled},
        homonyms={names[name] for name in senses},
    )
    root = np.arange(len(names))
    for merge in merges:
        root[row[merge.name]] = row[merge.into]
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
    return _number(names, base, sense, by_root, merges)


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
    merges: Sequence[Merge],
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
        merges=tuple(merges),
        splits=tuple(splits),
    )
