"""The entity graph as searches read it: passages, entities, the sentences and facts between them.

A row number names each passage, name, entity, sentence and fact. Arrays are mapped from the disk;
sparse matrices are made of them when a search first needs them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from hopyard.indexes.kinds.entity_graph.extraction import NOWHERE
from hopyard.indexes.manifest import damage_error
from hopyard.indexes.ragged import Ragged, load_array
from hopyard.indexes.rows import load_rows, save_rows
from hopyard.indexes.search import Kept

__all__ = ("FACT", "MENTION", "SENTENCE", "SYNONYM", "EntityFiles", "EntityGraph")


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

    def save(self, directory: Path) -> None:
        """Write all files into a kind's folder."""
        save_rows(directory, self.passages)
        for name, part in self._parts().items():
            if isinstance(part, Ragged):
                part.save(directory, name)
            else:
                np.save(directory / f"{name}.npy", part, allow_pickle=False)

    def _parts(self) -> dict[str, Any]:
        names = (field.name for field in fields(self))
        return {name: getattr(self, name) for name in names if name != "passages"}

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


class EntityGraph:
    """The entity graph of one generation, read from its folder. Any thread may use it."""

    def __init__(self, files: EntityFiles) -> None:
        """Wrap the files; see `load`."""
        self.files = files
        self.kept = Kept()
        """What searches make of the graph once, such as a matrix of weights."""

    @classmethod
    def load(cls, directory: Path) -> EntityGraph:
        """Open the graph.

        Args:
            directory: The kind's folder, `index.kind_directory("entity-graph")`.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it and says what
                to run.
        """
        return cls(EntityFiles.load(directory))

    @property
    def passage_ids(self) -> Sequence[str]:
        """All passages of the corpus, sorted by id; a passage's place is its row."""
        return self.files.passages

    @cached_property
    def passage_rows(self) -> dict[str, int]:
        """The row of each passage, by its id."""
        return {name: row for row, name in enumerate(self.files.passages)}

    @property
    def entities(self) -> int:
        """Number of entities."""
        return len(self.files.labels)

    def label(self, entity: int) -> str:
        """How an entity is written most often."""
        return self.files.labels.text(entity)

    def entities_of(self, name: str) -> list[int]:
        """The entities of a normalised name, in order; none for an unknown name."""
        row = self.files.names.find(name)
        return [] if row is None else self.files.name_entities[row].tolist()

    def labels_in(self, passage_id: str) -> list[str]:
        """The labels of a passage's entities, in the order of its text, each once."""
        mentions = self._of_passage(self.files.mentions, passage_id)
        return [self.label(entity) for entity in dict.fromkeys(mentions["entity"].tolist())]

    def facts_in(self, passage_id: str) -> list[dict[str, str]]:
        """The facts of a passage: subject, relation and object."""
        return [self.fact(row) for row in self._of_passage(self.files.facts, passage_id)]

    def fact(self, row: Any) -> dict[str, str]:
        """A row of `FACT` in words."""
        return {
            "subject": self.label(row["subject"]),
            "relation": self.files.relations.text(row["relation"]),
            "object": self.label(row["object"]),
        }

    def _of_passage(self, rows: NDArray[Any], passage_id: str) -> NDArray[Any]:
        """Those of some rows, sorted by passage, that are about one passage."""
        passage = self.passage_rows.get(passage_id, -1)
        return rows[slice(*np.searchsorted(rows["passage"], (passage, passage + 1)))]

    @cached_property
    def counts(self) -> sparse.csr_array:
        """[e, p] How often each entity stands in each passage."""
        mentions = self.files.mentions
        return _matrix(
            mentions["entity"], mentions["passage"], self.entities, len(self.passage_ids)
        )

    @cached_property
    def entities_in(self) -> sparse.csr_array:
        """[p, e] The same, by passage."""
        return self.counts.T.tocsr()

    @cached_property
    def passages_with(self) -> NDArray[np.int64]:
        """[e] In how many passages each entity stands; 0 where only a fact names it."""
        passages: NDArray[np.int64] = np.diff(self.counts.indptr).astype(np.int64)
        return passages

    @cached_property
    def sentences_of(self) -> sparse.csr_array:
        """[e, s] The sentences that each entity stands in."""
        mentions = self.files.mentions
        inside = mentions[mentions["sentence"] != NOWHERE]
        return _matrix(
            inside["entity"], inside["sentence"], self.entities, len(self.files.sentences)
        )

    @cached_property
    def entities_of_sentence(self) -> sparse.csr_array:
        """[s, e] The same, by sentence."""
        return self.sentences_of.T.tocsr()


def _matrix(
    rows: NDArray[np.int32], columns: NDArray[np.int32], height: int, width: int
) -> sparse.csr_array:
    """Count pairs of rows and columns."""
    ones = np.ones(len(rows))
    matrix = sparse.csr_array((ones, (rows, columns)), shape=(height, width))
    matrix.sum_duplicates()
    return matrix
