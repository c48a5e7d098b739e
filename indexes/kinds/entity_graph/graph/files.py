"""The files of the entity graph: arrays that are mapped from the disk."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from hopyard.indexes.arrays.ragged import Ragged, load_array
from hopyard.indexes.arrays.rows import load_rows, save_rows
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE
from hopyard.indexes.kinds.entity_graph.graph.elements import ElementFiles

__all__ = ("FACT", "MENTION", "SENTENCE", "SYNONYM", "EntityFiles")


def _row(*names: str) -> np.dtype[Any]:
    return np.dtype([(name, "<i4") for name in names])


MENTION: Final = _row("entity", "name", "passage", "sentence")
"""A name in a passage. `sentence` is a row of `SENTENCE`, or `NOWHERE`."""
SENTENCE: Final = _row("passage", "place")
"""A sentence that holds a name or a fact: the place among the sentences of its passage."""
FACT: Final = _row("subject", "relation", "object", "passage", "sentence")
"""A fact: rows of two entities and of the relation between them."""
SYNONYM: Final = np.dtype([("first", "<i4"), ("second", "<i4"), ("cosine", "<f4")])
"""Two entities whose names are near each other, first < second."""


@dataclass(frozen=True, eq=False)
class EntityFiles:
    """What the graph keeps on the disk, each field a file or two of the kind's folder."""

    passages: list[str]
    """Ids of all passages of the corpus, sorted."""
    names: Ragged
    """Normalised names, sorted by their UTF-8."""
    name_entities: Ragged
    """The entities of each name: one, or several where one name means several things."""
    labels: Ragged
    """How each entity is written most often."""
    mentions: NDArray[Any]
    """[m] `MENTION`, sorted by passage and then by sentence."""
    sentences: NDArray[Any]
    """[s] `SENTENCE`, sorted."""
    relations: Ragged
    """The relations of facts, sorted by their UTF-8."""
    facts: NDArray[Any]
    """[f] `FACT`, sorted by passage."""
    synonyms: NDArray[Any]
    """[y] `SYNONYM`."""
    name_vectors: NDArray[np.float32]
    """[n or 0, d] Embeddings of the names."""
    sentence_vectors: NDArray[np.float32]
    """[s or 0, d] Embeddings of the sentences."""
    fact_vectors: NDArray[np.float32]
    """[f or 0, d] Embeddings of the facts."""
    elements: ElementFiles = field(default_factory=ElementFiles.none)
    """Descriptions, strengths of facts, and claims."""

    def save(self, directory: Path) -> None:
        """Write all files into a kind's folder."""
        save_rows(directory, self.passages)
        for name, part in self._parts().items():
            if isinstance(part, Ragged):
                part.save(directory, name)
            else:
                np.save(directory / f"{name}.npy", part, allow_pickle=False)

    def _parts(self) -> dict[str, Any]:
        names = {field.name for field in fields(self)} - {"passages", "elements"}
        return {name: getattr(self, name) for name in names} | self.elements.parts()

    @classmethod
    def load(cls, directory: Path) -> EntityFiles:
        """Map what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it and the cure.
        """

        def texts(name: str) -> Ragged:
            return Ragged.load(directory, name, np.uint8)

        def array(name: str, dtype: DTypeLike, dimensions: int = 1) -> NDArray[Any]:
            return load_array(directory / f"{name}.npy", dtype, dimensions)

        files = cls(
            passages=load_rows(directory, str),
            names=texts("names"),
            name_entities=Ragged.load(directory, "name_entities", np.int32),
            labels=texts("labels"),
            mentions=array("mentions", MENTION),
            sentences=array("sentences", SENTENCE),
            relations=texts("relations"),
            facts=array("facts", FACT),
            synonyms=array("synonyms", SYNONYM),
            name_vectors=array("name_vectors", np.float32, 2),
            sentence_vectors=array("sentence_vectors", np.float32, 2),
            fact_vectors=array("fact_vectors", np.float32, 2),
            elements=ElementFiles.load(directory),
        )
        files._check(directory)
        return files

    def _check(self, directory: Path) -> None:
        passages, entities, sentences = len(self.passages), len(self.labels), len(self.sentences)
        for name, values, least, limit in (
            ("name_entities", self.name_entities.values, 0, entities),
            ("mentions", self.mentions["entity"], 0, entities),
            ("mentions", self.mentions["name"], 0, len(self.names)),
            ("mentions", self.mentions["passage"], 0, passages),
            ("mentions", self.mentions["sentence"], NOWHERE, sentences),
            ("sentences", self.sentences["passage"], 0, passages),
            ("facts", self.facts["subject"], 0, entities),
            ("facts", self.facts["object"], 0, entities),
            ("facts", self.facts["relation"], 0, len(self.relations)),
            ("facts", self.facts["passage"], 0, passages),
            ("facts", self.facts["sentence"], NOWHERE, sentences),
            ("synonyms", self.synonyms["first"], 0, entities),
            ("synonyms", self.synonyms["second"], 0, entities),
        ):
            if len(values) and not (least <= int(values.min()) and int(values.max()) < limit):
                raise damage_error(directory / f"{name}.npy", "does not fit the other files")
        for name, vectors, rows in (
            ("name_vectors", self.name_vectors, len(self.names)),
            ("sentence_vectors", self.sentence_vectors, sentences),
            ("fact_vectors", self.fact_vectors, len(self.facts)),
        ):
            if len(vectors) not in {0, rows}:
                raise damage_error(directory / f"{name}.npy", "does not fit the other files")
        self.elements.check(directory, entities=entities, passages=passages, facts=len(self.facts))
