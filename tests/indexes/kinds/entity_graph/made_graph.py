"""Entity graphs made by hand, with sentences, facts, synonyms, and a name of two people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from building import build
from conftest import WordEmbedder

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.build_context import BuildContext
from hopyard.indexes.corpus.records import Document, Passage
from hopyard.indexes.kind import KINDS
from hopyard.indexes.kinds.entity_graph import EntityGraphKind
from hopyard.indexes.kinds.entity_graph.find.extraction import Extraction, Fact, Mention
from hopyard.indexes.kinds.entity_graph.graph.assemble import PassageRow, collect, labels_of
from hopyard.indexes.kinds.entity_graph.graph.files import SYNONYM, EntityFiles
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph

TEXTS = {
    "bridge": "The Iron Bridge crosses the Severn. Abraham Darby built it.",
    "darby": "Abraham Darby was born in Dudley. Abraham Darby built the Iron Bridge. He died.",
    "severn": "The Severn is a river. It is long.",
    "stone": 'The <b>Stone</b> & "Bridge" crosses the SEVERN.',
    "zoo": "Michael Darby kept a zoo.",
}
IRON, SEVERN, DARBY, DUDLEY = "Iron Bridge", "Severn", "Abraham Darby", "Dudley"
STONE = '<b>Stone</b> & "Bridge"'


def _found(mentions: Sequence[tuple[str, int]], *facts: tuple[str, str, str, int]) -> Extraction:
    return Extraction(
        mentions=tuple(Mention(name=name, sentence=place) for name, place in mentions),
        facts=tuple(
            Fact(subject=subject, relation=relation, object=object_, sentence=place)
            for subject, relation, object_, place in facts
        ),
    )


EXTRACTIONS = {
    "bridge": _found(
        [(IRON, 0), (f"the {SEVERN}", 0), (DARBY, 1)],
        (IRON, "crosses", f"the {SEVERN}", 0),
        (DARBY, "built", IRON, 1),
    ),
    "darby": _found(
        [(DARBY, 0), (DUDLEY, 0), (DARBY, 1), (IRON, 1)],
        (DARBY, "was born in", DUDLEY, 0),
        (DARBY, "built", IRON, 1),
    ),
    "severn": _found([(f"The {SEVERN}", 0), (SEVERN, -1)]),
    "stone": _found([(STONE, 0), (SEVERN.upper(), 0)], (STONE, "crosses", SEVERN.upper(), 0)),
    "zoo": _found([("Darby", -1), ("Zoo", -1)]),
}
SENSES = {"abraham darby": ["abraham darby"], "darby": ["abraham darby", "darby"]}
"""Names of several entities: "Darby" is Abraham, or the keeper of the zoo."""
SYNONYMS = [("iron bridge", "dudley", 0.81), ("iron bridge", "severn", 0.9)]


def made_files(
    rows: Sequence[PassageRow],
    extractions: Mapping[str, Extraction],
    senses: Mapping[str, Sequence[str]] = {},
    synonyms: Sequence[tuple[str, str, float]] = (),
) -> EntityFiles:
    """Files of a graph in which each name is an entity, and has the entities of `senses` too."""
    found = collect(rows, extractions)
    row = {name: row for row, name in enumerate(found.names)}
    mentions = found.mentions.copy()
    mentions["entity"] = mentions["name"]
    pairs = [(*sorted((row[each], row[other])), cosine) for each, other, cosine in synonyms]
    none = np.empty((0, 4), np.float32)
    return EntityFiles(
        passages=[passage.id for passage in rows],
        names=Ragged.of_texts(found.names),
        name_entities=Ragged.of(
            [sorted(row[other] for other in senses.get(name, [name])) for name in found.names],
            np.int32,
        ),
        labels=labels_of(found, mentions["entity"], [""] * len(found.names)),
        mentions=mentions,
        sentences=found.sentences,
        relations=Ragged.of_texts(found.relations),
        facts=found.facts,
        synonyms=np.array(pairs, SYNONYM),
        name_vectors=none,
        fact_vectors=none,
    )


def graph_of(
    directory: Path, extractions: Mapping[str, Extraction] = EXTRACTIONS, **more: Any
) -> EntityGraph:
    """A graph that was saved and loaded."""
    rows = [PassageRow(name, name, name, name.title()) for name in sorted(extractions)]
    made_files(rows, extractions, **more).save(directory)
    return EntityGraph.load(directory)


def read(names: Sequence[str]) -> list[Passage]:
    """The passages of `TEXTS`, as an index reads them."""
    return [Passage(name, name, 0, name.title(), TEXTS[name], name, 9) for name in names]


class ByHand(EntityGraphKind):
    """The kind `entity-graph` with the extractions above."""

    asks_model = False

    async def build(self, context: BuildContext) -> Mapping[str, int]:
        passages = list(context.corpus.passages())
        rows = [PassageRow(p.id, p.content_hash, p.document_id, p.title) for p in passages]
        extractions = {p.content_hash: EXTRACTIONS[p.document_id] for p in passages}
        made_files(rows, extractions, SENSES, SYNONYMS).save(context.directory)
        return {}


def made_index(directory: Path, *kinds: str) -> Path:
    """An index of `TEXTS` with the graph above."""
    documents = [Document(name, name.title(), text) for name, text in TEXTS.items()]
    KINDS.register(ByHand())
    try:
        build(documents, directory=directory, embedder=WordEmbedder(), kinds=("dense", *kinds))
    finally:
        KINDS.unregister("entity-graph")
    return directory
