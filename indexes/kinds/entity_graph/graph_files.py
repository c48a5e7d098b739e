"""From entities and what was found to the files of the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.kinds.entity_graph.assemble import Found, PassageRow, labels_of
from hopyard.indexes.kinds.entity_graph.element_rows import element_files
from hopyard.indexes.kinds.entity_graph.entities import Entities
from hopyard.indexes.kinds.entity_graph.extraction import Extraction
from hopyard.indexes.kinds.entity_graph.files import MENTION, SYNONYM, EntityFiles
from hopyard.indexes.kinds.entity_graph.synonyms import Synonyms
from hopyard.indexes.ragged import Ragged
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
    meant = _meant(mentions)
    name_rows = {name: row for row, name in enumerate(found.names)}
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
        elements=element_files(
            rows, extractions, lambda name, passage: meant[name_rows[name], passage]
        ),
    )


def _meant(mentions: NDArray[Any]) -> dict[tuple[int, int], int]:
    """The entity that a name means in a passage: the first mention there decides."""
    return {(name, passage): entity for entity, name, passage, _ in reversed(mentions.tolist())}


def _facts(found: Found, meant: Mapping[tuple[int, int], int]) -> NDArray[Any]:
    """The facts with entities in place of names: those that the passage's mentions mean."""
    facts = found.facts.copy()
    for end in ("subject", "object"):
        pairs = zip(found.facts[end].tolist(), found.facts["passage"].tolist(), strict=True)
        facts[end] = [meant[pair] for pair in pairs]
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
