"""From entities and what was found to the files of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.entity_graph.find.extraction import Extraction
from hopyard.indexes.kinds.entity_graph.graph.assemble import Found, PassageRow, labels_of
from hopyard.indexes.kinds.entity_graph.graph.element_rows import element_files
from hopyard.indexes.kinds.entity_graph.graph.files import MENTION, SYNONYM, EntityFiles
from hopyard.indexes.kinds.entity_graph.resolve.entities import Entities
from hopyard.indexes.kinds.entity_graph.resolve.synonyms import Synonyms
from hopyard.models.embedder import Vectors

__all__ = ("graph_files",)


def graph_files(
    rows: Sequence[PassageRow],
    found: Found,
    extractions: Mapping[str, Extraction],
    entities: Entities,
    near: Synonyms,
    vectors: Mapping[str, Vectors],
    synonyms: float,
) -> EntityFiles:
    """All that the graph keeps on the disk.

    Args:
        rows: All passages, in order of id.
        found: Their names and facts.
        extractions: By content hash.
        entities: The entities of the names.
        near: Pairs of near names.
        vectors: Of `names`, `sentences` and `facts`; an empty array where the graph keeps none.
        synonyms: Least cosine of synonyms; 0 keeps none.
    """
    mentions = np.empty(len(found.name), MENTION)
    mentions["entity"] = entities.of_mention
    mentions["name"] = found.name
    mentions["passage"] = found.passage
    mentions["sentence"] = found.sentence
    of_name = np.unique(np.stack([found.name, mentions["entity"]], axis=1), axis=0)
    bounds = np.searchsorted(of_name[:, 0], np.arange(len(found.names) + 1))
    meant = _Meant(found.names, mentions)
    return EntityFiles(
        passages=[row.id for row in rows],
        names=Ragged.of_texts(found.names),
        name_entities=Ragged(of_name[:, 1].astype(np.int32), bounds.astype(np.int64)),
        labels=labels_of(found, mentions["entity"], entities.senses),
        mentions=mentions,
        sentences=found.sentences,
        relations=Ragged.of_texts(found.relations),
        facts=_facts(found, meant),
        synonyms=_synonyms(near, of_name, synonyms),
        name_vectors=vectors["names"],
        sentence_vectors=vectors["sentences"],
        fact_vectors=vectors["facts"],
        elements=element_files(rows, extractions, meant.entity),
    )


class _Meant:
    """The entity that a name means in a passage: the first mention there decides.

    Args:
        names: All names.
        mentions: [m] `MENTION`, sorted by passage and then by sentence.
    """

    def __init__(self, names: Sequence[str], mentions: NDArray[Any]) -> None:
        self._names = names
        self._entities = mentions["entity"]
        self._known, self._first = np.unique(
            self._places(mentions["name"], mentions["passage"]), return_index=True
        )

    def entities(self, names: NDArray[Any], passages: NDArray[Any]) -> NDArray[np.int32]:
        """[x] The entities of rows of names [x] in rows of passages [x]."""
        rows = np.searchsorted(self._known, self._places(names, passages))
        entities: NDArray[np.int32] = self._entities[self._first[rows]]
        return entities

    def entity(self, name: str, passage: int) -> int:
        """The entity of one normalised name."""
        row = np.array([self._rows[name]])
        return int(self.entities(row, np.array([passage]))[0])

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self._names)}

    def _places(self, names: NDArray[Any], passages: NDArray[Any]) -> NDArray[np.int64]:
        """One number for each pair of a passage and a name."""
        places: NDArray[np.int64] = passages.astype(np.int64) * len(self._names) + names
        return places


def _facts(found: Found, meant: _Meant) -> NDArray[Any]:
    """The facts with entities in place of names: those that the passage's mentions mean."""
    facts = found.facts.copy()
    for end in ("subject", "object"):
        facts[end] = meant.entities(found.facts[end], found.facts["passage"])
    return facts


def _synonyms(near: Synonyms, of_name: NDArray[np.int64], least: float) -> NDArray[Any]:
    """Pairs of entities with near names; an entity of several spellings has the nearest."""
    if not least:
        return np.empty(0, SYNONYM)
    meant: dict[int, list[int]] = {}
    for name, entity in of_name.tolist():
        meant.setdefault(name, []).append(entity)
    best: dict[tuple[int, int], float] = {}
    for (first, second), cosine in zip(near.pairs.tolist(), near.similarity.tolist(), strict=True):
        if cosine < least:
            continue
        for one in meant[first]:
            for other in meant[second]:
                pair = (min(one, other), max(one, other))
                if one != other and cosine > best.get(pair, 0.0):
                    best[pair] = cosine
    return np.array([(*pair, cosine) for pair, cosine in sorted(best.items())], SYNONYM)
