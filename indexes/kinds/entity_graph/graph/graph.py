"""The entity graph as searches read it: passages, entities, the sentences and facts between them.

A row number names each passage, name, entity, sentence and fact. Arrays are mapped from the disk;
sparse matrices are made of them when a search first needs them.

Descriptions and strengths are the chat model's, the elements of GraphRAG (arXiv 2404.16130, section
3.1.2). The graph keeps the description of every passage. It does not have the model join those of
one entity into a summary, as the paper does: the model that writes a community's report reads the
longest of them directly (`join_descriptions`) and summarises them there, which saves a call for
every entity.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE
from hopyard.indexes.kinds.entity_graph.graph.files import EntityFiles
from hopyard.indexes.search import Kept
from hopyard.prompts.passages import passage_snippet
from hopyard.state.text.tokens import tokens_of

TOKENS: Final = 400
"""Tokens of an entity's joined descriptions at most."""


@dataclass(frozen=True)
class Description:
    """A description of an entity in one passage, in the words of the model.

    Attributes:
        type: The kind of thing that it is, such as `person`; "" if the model named none.
        passage: The id of the passage.
        sentence: The place of the sentence among `sentence_spans(passage.text)`, or `NOWHERE`.
    """

    type: str
    text: str
    passage: str
    sentence: int


def join_descriptions(descriptions: Iterable[Description], tokens: int = TOKENS) -> str:
    """The distinct texts of one entity's descriptions, the longest first, within a budget.

    Args:
        tokens: Maximum length. A text that does not fit is left out; the first is cut at a word.
    """
    distinct = {each.text.casefold(): each.text for each in descriptions if each.text}
    kept = ""
    for text in sorted(distinct.values(), key=lambda text: (-len(text), text)):
        longer = f"{kept} {text}".lstrip()
        if tokens_of(longer) <= tokens:
            kept = longer
        elif not kept:
            return passage_snippet(text, tokens)
    return kept


class EntityGraph:
    """The entity graph of one generation, read from its folder. Any thread may use it."""

    def __init__(self, files: EntityFiles) -> None:
        """Wrap the files; see `load`."""
        self.files = files
        self.kept = Kept()
        """Results that searches compute once from the graph, such as a matrix of weights."""

    @classmethod
    def load(cls, directory: Path) -> EntityGraph:
        """Open the graph.

        Args:
            directory: The kind's folder, `index.kind_directory("entity-graph")`.
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

    def names_of(self, entity: int) -> list[str]:
        """The normalised names of an entity, sorted."""
        return self._names[entity]

    @cached_property
    def _names(self) -> list[list[str]]:
        names: list[list[str]] = [[] for _ in range(self.entities)]
        for row in range(len(self.files.names)):
            for entity in self.files.name_entities[row].tolist():
                names[entity].append(self.files.names.text(row))
        return names

    def rows_in(self, passage_id: str) -> list[int]:
        """The rows of a passage's entities, in the order of its text, each once."""
        mentions = self._of_passage(self.files.mentions, passage_id)
        return list(dict.fromkeys(mentions["entity"].tolist()))

    def labels_in(self, passage_id: str) -> list[str]:
        """The labels of a passage's entities, in the order of its text, each once."""
        return [self.label(entity) for entity in self.rows_in(passage_id)]

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

    def descriptions(self, entity: int) -> list[Description]:
        """The descriptions of an entity, in the words of the model, in order of passage.

        Empty if the graph was built without `entity_graph.descriptions`.
        """
        files = self.files
        bounds = np.searchsorted(files.descriptions["entity"], (entity, entity + 1))
        return [
            Description(
                type=files.types.text(row["type"]),
                text=files.description_texts.text(number),
                passage=self.passage_ids[row["passage"]],
                sentence=int(row["sentence"]),
            )
            for number, row in enumerate(files.descriptions[slice(*bounds)], bounds[0])
        ]

    def type_of(self, entity: int) -> str:
        """The type that most passages give an entity, the first of several; "" for none."""
        types = Counter(each.type for each in self.descriptions(entity) if each.type)
        return max(types, key=lambda name: types[name], default="")

    @cached_property
    def fact_strengths(self) -> NDArray[np.float32]:
        """[f] How strong each fact's relation is, 1 to 10; 1 without descriptions."""
        strengths = self.files.fact_strengths
        return strengths if len(strengths) else np.ones(len(self.files.facts), np.float32)

    def fact_description(self, row: int) -> str:
        """The description of a fact by the model; "" for none.

        Args:
            row: The place of the fact in `files.facts`.
        """
        texts = self.files.fact_descriptions
        return texts.text(row) if len(texts) else ""

    def fact_text(self, row: int) -> str:
        """The description of a fact, or its subject, relation and object if it has none.

        Args:
            row: The place of the fact in `files.facts`.
        """
        return self.fact_description(row) or " ".join(self.fact(self.files.facts[row]).values())

    def _of_passage(self, rows: NDArray[Any], passage_id: str) -> NDArray[Any]:
        """Those of some rows, sorted by passage, that are about one passage."""
        passage = self.passage_rows.get(passage_id, -1)
        return rows[slice(*np.searchsorted(rows["passage"], (passage, passage + 1)))]

    @cached_property
    def counts(self) -> sparse.csr_array:
        """[e, p] How often each entity is in each passage."""
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
        """[e] The number of passages with each entity; 0 where only a fact names it."""
        passages: NDArray[np.int64] = np.diff(self.counts.indptr).astype(np.int64)
        return passages

    @cached_property
    def sentences_of(self) -> sparse.csr_array:
        """[e, s] The sentences with each entity."""
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
