"""What the chat model wrote about entities and facts: descriptions, strengths and claims.

These are the elements of GraphRAG (arXiv 2404.16130, section 3.1.2). The graph keeps the
description of every passage. It does not have the model join those of one entity into a summary,
as the paper does: the model that writes a community's report reads the longest of them directly
(`join_descriptions`) and summarises them there, which saves a call for every entity.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.arrays.ragged import Ragged, load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.kinds.entity_graph.find.extraction import NOWHERE, STATUSES, ClaimStatus
from hopyard.prompts.passages import passage_snippet
from hopyard.state.text.tokens import tokens_of

__all__ = ("CLAIM", "DESCRIPTION", "ClaimRow", "Description", "ElementFiles", "join_descriptions")

DESCRIPTION: Final = np.dtype([(name, "<i4") for name in ("entity", "type", "passage", "sentence")])
"""A description. `type` is a row of `types`; `sentence` is a place in the passage or `NOWHERE`."""
CLAIM: Final = np.dtype(
    [(name, "<i4") for name in ("subject", "object", "type", "status", "passage", "sentence")]
)
"""A claim. `object` may be `NOWHERE`; `status` is a row of `STATUSES`, `type` one of `types`."""

TOKENS: Final = 400
"""Tokens of an entity's joined descriptions at most."""


@dataclass(frozen=True)
class Description:
    """What one passage says about an entity, in the words of the model.

    Attributes:
        type: The kind of thing that it is, such as `person`; "" if the model named none.
        text: The description.
        passage: The id of the passage.
        sentence: The place of the sentence among `sentence_spans(passage.text)`, or `NOWHERE`.
    """

    type: str
    text: str
    passage: str
    sentence: int


@dataclass(frozen=True)
class ClaimRow:
    """A claim about an entity.

    Attributes:
        subject: The row of the entity that it is about.
        object: The row of the other entity; `NOWHERE` for none.
        type: The kind of claim, such as `product recall`.
        status: Whether the passage confirms it, denies it, or leaves it open.
        text: The claim in a sentence or two.
        passage: The id of the passage.
        sentence: The place of the sentence among `sentence_spans(passage.text)`, or `NOWHERE`.
    """

    subject: int
    object: int
    type: str
    status: ClaimStatus
    text: str
    passage: str
    sentence: int


def join_descriptions(descriptions: Iterable[Description], tokens: int = TOKENS) -> str:
    """The distinct texts of one entity's descriptions, the longest first, within a budget.

    Args:
        descriptions: Of one entity.
        tokens: Maximum length. A text that does not fit is left out; the first is cut at a word.
    """
    distinct = {one.text.casefold(): one.text for one in descriptions if one.text}
    kept = ""
    for text in sorted(distinct.values(), key=lambda text: (-len(text), text)):
        longer = f"{kept} {text}".lstrip()
        if tokens_of(longer) <= tokens:
            kept = longer
        elif not kept:
            return passage_snippet(text, tokens)
    return kept


def _no_texts() -> Ragged:
    return Ragged.of_texts(())


@dataclass(frozen=True, eq=False)
class ElementFiles:
    """What the graph keeps of descriptions and claims; all empty if the model wrote none."""

    types: Ragged
    """Types of entities and claims, sorted by their UTF-8."""
    descriptions: NDArray[Any]
    """[d] `DESCRIPTION`, sorted by entity and then by passage."""
    description_texts: Ragged
    """[d]"""
    fact_descriptions: Ragged
    """[f or 0]"""
    fact_strengths: NDArray[np.float32]
    """[f or 0]"""
    claims: NDArray[Any]
    """[c] `CLAIM`, sorted by passage."""
    claim_texts: Ragged
    """[c]"""

    @classmethod
    def none(cls) -> ElementFiles:
        """Those of a graph that rules built."""
        return cls(
            types=_no_texts(),
            descriptions=np.empty(0, DESCRIPTION),
            description_texts=_no_texts(),
            fact_descriptions=_no_texts(),
            fact_strengths=np.empty(0, np.float32),
            claims=np.empty(0, CLAIM),
            claim_texts=_no_texts(),
        )

    def parts(self) -> dict[str, Any]:
        """The arrays by the names of their files."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def load(cls, directory: Path) -> ElementFiles:
        """Map the files into memory.

        Raises:
            IndexMissingError: A file is missing or damaged; the message names it and the cure.
        """

        def texts(name: str) -> Ragged:
            return Ragged.load(directory, name, np.uint8)

        return cls(
            types=texts("types"),
            descriptions=load_array(directory / "descriptions.npy", DESCRIPTION),
            description_texts=texts("description_texts"),
            fact_descriptions=texts("fact_descriptions"),
            fact_strengths=load_array(directory / "fact_strengths.npy", np.float32),
            claims=load_array(directory / "claims.npy", CLAIM),
            claim_texts=texts("claim_texts"),
        )

    def check(self, directory: Path, *, entities: int, passages: int, facts: int) -> None:
        """See that the files fit each other and the graph.

        Raises:
            IndexMissingError: A file does not; the message names it and the cure.
        """
        types = len(self.types)
        for name, rows, columns in (
            ("descriptions", self.descriptions, {"entity": (0, entities)}),
            (
                "claims",
                self.claims,
                {"subject": (0, entities), "object": (NOWHERE, entities)}
                | {"status": (0, len(STATUSES))},
            ),
        ):
            for column, (least, limit) in {
                **columns,
                "type": (0, types),
                "passage": (0, passages),
            }.items():
                values = rows[column]
                if len(values) and not (least <= int(values.min()) and int(values.max()) < limit):
                    raise damage_error(directory / f"{name}.npy", "does not fit the other files")
        for name, length, allowed in (
            ("description_texts", len(self.description_texts), {len(self.descriptions)}),
            ("claim_texts", len(self.claim_texts), {len(self.claims)}),
            ("fact_descriptions", len(self.fact_descriptions), {0, facts}),
            ("fact_strengths", len(self.fact_strengths), {0, facts}),
        ):
            if length not in allowed:
                raise damage_error(directory / f"{name}.npy", "does not fit the other files")
