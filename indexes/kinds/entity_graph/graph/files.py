"""The files of the entity graph: arrays that are mapped from the disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged, load_array
from hopyard.indexes.arrays.rows import load_rows, save_rows
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE


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
DESCRIPTION: Final = _row("entity", "type", "passage", "sentence")
"""A description. `sentence` is a place in the passage, or `NOWHERE`."""

_ROWS: Final = {
    "mentions": MENTION,
    "sentences": SENTENCE,
    "facts": FACT,
    "synonyms": SYNONYM,
    "descriptions": DESCRIPTION,
}
_NUMBERS: Final = {"fact_strengths": 1, "name_vectors": 2, "fact_vectors": 2}
"""Dimensions of the other arrays."""
_REFERS_TO: Final[Mapping[str, str]] = {
    **dict.fromkeys(("entity", "subject", "object", "first", "second"), "labels"),
    "name": "names",
    "relation": "relations",
    "type": "types",
    "passage": "passages",
}
"""The field whose rows a column has."""
_AS_LONG_AS: Final = {
    "description_texts": "descriptions",
    "name_vectors": "names",
    "fact_vectors": "facts",
    "fact_descriptions": "facts",
    "fact_strengths": "facts",
}
_NEVER_EMPTY: Final = "description_texts"
"""The others may be empty while the field that they belong to is not."""


def _no_texts() -> Ragged:
    return Ragged.of_texts(())


@dataclass(frozen=True, eq=False)
class EntityFiles:
    """The arrays of the graph, each field a file or two of the kind's folder.

    The fields from `types` on hold what the chat model wrote; they are empty if it wrote nothing.
    """

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
    fact_vectors: NDArray[np.float32]
    """[f or 0, d] Embeddings of the facts."""
    types: Ragged = field(default_factory=_no_texts)
    """Types of entities, sorted by their UTF-8."""
    descriptions: NDArray[Any] = field(default_factory=lambda: np.empty(0, DESCRIPTION))
    """[d] `DESCRIPTION`, sorted by entity and then by passage."""
    description_texts: Ragged = field(default_factory=_no_texts)
    """[d]"""
    fact_descriptions: Ragged = field(default_factory=_no_texts)
    """[f or 0]"""
    fact_strengths: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    """[f or 0]"""

    def save(self, directory: Path) -> None:
        """Write all files into a kind's folder."""
        save_rows(directory, self.passages)
        for name in _names():
            part = getattr(self, name)
            if isinstance(part, Ragged):
                part.save(directory, name)
            else:
                np.save(directory / f"{name}.npy", part, allow_pickle=False)

    @classmethod
    def load(cls, directory: Path) -> EntityFiles:
        """Map what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it and the cure.
        """

        def part(name: str) -> Any:
            if name in _ROWS:
                return load_array(directory / f"{name}.npy", _ROWS[name])
            if name in _NUMBERS:
                return load_array(directory / f"{name}.npy", np.float32, _NUMBERS[name])
            values = np.int32 if name == "name_entities" else np.uint8
            return Ragged.load(directory, name, values)

        files = cls(load_rows(directory), **{name: part(name) for name in _names()})
        for name in _names():
            if not files._fits(name):
                raise damage_error(directory / f"{name}.npy", "does not fit the other files")
        return files

    def _fits(self, name: str) -> bool:
        """Whether a field's numbers are rows of the fields that they refer to."""
        part = getattr(self, name)
        if name == "name_entities":
            return _inside(part.values, 0, len(self.labels))
        if name in _AS_LONG_AS:
            wanted = len(getattr(self, _AS_LONG_AS[name]))
            return len(part) == wanted or not (len(part) or name == _NEVER_EMPTY)
        return all(
            _inside(part[column], *self._bounds(name, column))
            for column in (_ROWS[name].names or () if name in _ROWS else ())
        )

    def _bounds(self, name: str, column: str) -> tuple[float, float]:
        """The least value of a column, and the first that is too large."""
        if column in _REFERS_TO:
            return 0, len(getattr(self, _REFERS_TO[column]))
        if column == "sentence" and name in {"mentions", "facts"}:
            return NOWHERE, len(self.sentences)
        return -np.inf, np.inf


def _names() -> list[str]:
    return [part.name for part in fields(EntityFiles) if part.name != "passages"]


def _inside(values: NDArray[Any], least: float, limit: float) -> bool:
    return not len(values) or bool(least <= values.min() and values.max() < limit)
