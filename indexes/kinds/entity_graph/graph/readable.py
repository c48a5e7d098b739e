"""The part of an entity graph that a caller may read, as if the other passages were empty.

Rows of entities stay, so that the communities fit; an entity that only other passages name has no
name, no label and nothing else. All other rows are counted again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE
from hopyard.indexes.kinds.entity_graph.graph.files import EntityFiles
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.indexes.text.keywords import normalise_keyword

Rows = NDArray[np.int64]


class ReadableGraph(EntityGraph):
    """A part of an entity graph.

    Args:
        whole: The graph of all passages.
        passages: The passages that the caller may read.
    """

    def __init__(self, whole: EntityGraph, passages: Collection[str]) -> None:
        names = {*passages}
        held = np.array([name in names for name in whole.files.passages], bool)
        files = whole.files
        self.rows: Final[Mapping[str, Rows]] = {
            letter: _numbered(held[part["passage"]])
            for letter, part in (("R", files.facts), ("S", files.sentences))
        }
        """The row of each fact and sentence of the whole graph here, or -1."""
        super().__init__(_kept(files, held, self.rows["S"]))


def _numbered(held: NDArray[np.bool_]) -> Rows:
    """The row of each place among those that are held, or -1."""
    return np.where(held, np.cumsum(held) - 1, -1)


def _kept(files: EntityFiles, held: NDArray[np.bool_], sentence_rows: Rows) -> EntityFiles:
    passage_rows = _numbered(held)

    def part(rows: NDArray[Any], *, sentences: bool = False) -> NDArray[Any]:
        kept: NDArray[Any] = np.array(rows[held[rows["passage"]]])
        kept["passage"] = passage_rows[kept["passage"]]
        if sentences and len(kept):
            kept["sentence"] = np.where(
                kept["sentence"] == NOWHERE, NOWHERE, sentence_rows[kept["sentence"]]
            )
        return kept

    facts, descriptions = (
        np.flatnonzero(held[rows["passage"]]) for rows in (files.facts, files.descriptions)
    )
    mentions = part(files.mentions, sentences=True)
    names, mentions["name"] = np.unique(mentions["name"], return_inverse=True)
    pairs = np.unique(np.stack([mentions["name"], mentions["entity"]], axis=1), axis=0)
    bounds = np.searchsorted(pairs[:, 0], np.arange(len(names) + 1))
    known = files.names.take(names)
    shown = np.isin(np.arange(len(files.labels)), mentions["entity"])
    kept_facts = part(files.facts, sentences=True)
    kept_descriptions = part(files.descriptions)
    return replace(
        files,
        passages=[files.passages[row] for row in np.flatnonzero(held)],
        names=known,
        name_entities=Ragged(pairs[:, 1].astype(np.int32), bounds.astype(np.int64)),
        labels=_labels(files.labels, mentions, known),
        mentions=mentions,
        sentences=part(files.sentences),
        relations=_blanked(files.relations, kept_facts["relation"]),
        facts=kept_facts,
        synonyms=files.synonyms[shown[files.synonyms["first"]] & shown[files.synonyms["second"]]],
        name_vectors=_some(files.name_vectors, names),
        fact_vectors=_some(files.fact_vectors, facts),
        types=_blanked(files.types, kept_descriptions["type"]),
        descriptions=kept_descriptions,
        description_texts=_take(files.description_texts, descriptions),
        fact_descriptions=_take(files.fact_descriptions, facts),
        fact_strengths=_some(files.fact_strengths, facts),
    )


def _some(values: NDArray[Any], rows: NDArray[Any]) -> NDArray[Any]:
    return values[rows] if len(values) else values


def _take(texts: Ragged, rows: NDArray[Any]) -> Ragged:
    return texts.take(rows) if len(texts) else texts


def _blanked(texts: Ragged, used: NDArray[Any]) -> Ragged:
    """The texts with those that are not used empty: their rows stay."""
    wanted = {*used.tolist()}
    return Ragged.of_texts(texts.text(row) if row in wanted else "" for row in range(len(texts)))


def _labels(labels: Ragged, mentions: NDArray[Any], names: Ragged) -> Ragged:
    """Each label if a passage that is kept has it; else the name of most mentions in these."""
    found: list[Counter[int]] = [Counter() for _ in range(len(labels))]
    for entity, name in mentions[["entity", "name"]].tolist():
        found[entity][name] += 1

    def label(entity: int) -> str:
        text = labels.text(entity)
        if names.find(normalise_keyword(text)) in found[entity]:
            return text
        most = max(found[entity], key=lambda name: (found[entity][name], -name), default=None)
        return "" if most is None else names.text(most)

    return Ragged.of_texts(map(label, range(len(labels))))
