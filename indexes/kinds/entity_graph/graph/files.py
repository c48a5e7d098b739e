"""The files of the entity graph: arrays that are mapped from the disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.files import IDS, ArrayFiles, Part
from hopyard.indexes.arrays.ragged import Ragged


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


def _no_texts() -> Ragged:
    return Ragged.of_texts(())


@dataclass(frozen=True, eq=False)
class EntityFiles(ArrayFiles):
    """The arrays of the graph, each field a file or two of the kind's folder.

    The fields from `types` on hold what the chat model wrote; they are empty if it wrote nothing.
    """

    parts: ClassVar[Mapping[str, Part]] = {
        "passages": IDS,
        "names": Part(),
        "name_entities": Part(np.int32, rows_of={"": "labels"}),
        "labels": Part(),
        "mentions": Part(
            MENTION,
            1,
            {"entity": "labels", "name": "names", "passage": "passages", "sentence": "sentences"},
            or_none=("sentence",),
        ),
        "sentences": Part(SENTENCE, 1, {"passage": "passages"}),
        "relations": Part(),
        "facts": Part(
            FACT,
            1,
            {
                **dict.fromkeys(("subject", "object"), "labels"),
                "relation": "relations",
                "passage": "passages",
                "sentence": "sentences",
            },
            or_none=("sentence",),
        ),
        "synonyms": Part(SYNONYM, 1, dict.fromkeys(("first", "second"), "labels")),
        "name_vectors": Part(np.float32, 2, like="names", optional=True),
        "fact_vectors": Part(np.float32, 2, like="facts", optional=True),
        "types": Part(),
        "descriptions": Part(
            DESCRIPTION, 1, {"entity": "labels", "type": "types", "passage": "passages"}
        ),
        "description_texts": Part(like="descriptions"),
        "fact_descriptions": Part(like="facts", optional=True),
        "fact_strengths": Part(np.float32, 1, like="facts", optional=True),
    }

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
