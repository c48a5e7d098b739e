"""From entities and what was found to the files of the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.entity_graph.find.extraction import Extraction, Fact
from hopyard.indexes.kinds.entity_graph.graph.assemble import (
    Found,
    PassageRow,
    labels_of,
    whole_facts,
)
from hopyard.indexes.kinds.entity_graph.graph.files import DESCRIPTION, SYNONYM, EntityFiles
from hopyard.indexes.kinds.entity_graph.resolve.entities import Entities
from hopyard.indexes.kinds.entity_graph.resolve.synonyms import Synonyms
from hopyard.indexes.text.keywords import normalise_keyword
from hopyard.models.embedder import Vectors


def graph_files(
    rows: Sequence[PassageRow],
    found: Found,
    extractions: Mapping[str, Extraction],
    entities: Entities,
    near: Synonyms,
    vectors: Mapping[str, Vectors],
) -> EntityFiles:
    """All that the graph keeps on the disk.

    Args:
        rows: All passages, in order of id.
        extractions: By content hash.
        near: Pairs of near names, which are synonyms where they are not one entity.
        vectors: Of `names` and `facts`.
    """
    mentions = found.mentions.copy()
    mentions["entity"] = entities.of_mention
    pairs = np.stack([mentions["name"], mentions["entity"]], axis=1)
    of_name = np.unique(pairs, axis=0).astype(np.int64)
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
        synonyms=_synonyms(near, of_name),
        name_vectors=vectors["names"],
        fact_vectors=vectors["facts"],
        **element_fields(rows, extractions, meant.entity),
    )


class _Meant:
    """The entity that a name means in a passage: the first mention there decides.

    Args:
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


def _synonyms(near: Synonyms, of_name: NDArray[np.int64]) -> NDArray[Any]:
    """Pairs of entities with near names; an entity of several spellings has the nearest."""
    meant: dict[int, list[int]] = {}
    for name, entity in of_name.tolist():
        meant.setdefault(name, []).append(entity)
    best: dict[tuple[int, int], float] = {}
    for (first, second), cosine in zip(near.pairs.tolist(), near.similarity.tolist(), strict=True):
        for each, other in product(meant[first], meant[second]):
            pair = (min(each, other), max(each, other))
            if each != other:
                best[pair] = max(cosine, best.get(pair, 0.0))
    return np.array([(*pair, cosine) for pair, cosine in sorted(best.items())], SYNONYM)


def element_fields(
    passages: Sequence[PassageRow],
    extractions: Mapping[str, Extraction],
    entity_of: Callable[[str, int], int],
) -> dict[str, Any]:
    """The fields of `EntityFiles` with descriptions.

    Args:
        passages: All passages, in order of id.
        extractions: By content hash.
        entity_of: The entity that a normalised name means in a passage, by the passage's row.
    """
    given = [
        (row, extractions[passage.content_hash])
        for row, passage in enumerate(passages)
        if passage.content_hash in extractions
    ]
    described = sorted(
        (
            (entity_of(normalise_keyword(each.name), row), row, each)
            for row, extraction in given
            for each in extraction.entities
            if normalise_keyword(each.name)
        ),
        key=lambda item: item[:2],
    )
    types = sorted({each.type for *_, each in described})
    type_rows = {name: row for row, name in enumerate(types)}
    facts: list[Fact] = []
    if any(_is_described(fact) for _, extraction in given for fact in extraction.facts):
        facts = [fact for _, extraction in given for fact in whole_facts(extraction)]
    return {
        "types": Ragged.of_texts(types),
        "descriptions": np.array(
            [(entity, type_rows[each.type], row, each.sentence) for entity, row, each in described],
            DESCRIPTION,
        ),
        "description_texts": Ragged.of_texts(each.description for *_, each in described),
        "fact_descriptions": Ragged.of_texts(fact.description for fact in facts),
        "fact_strengths": np.array([fact.strength for fact in facts], np.float32),
    }


def _is_described(fact: Fact) -> bool:
    return bool(fact.description) or fact.strength != 1
