"""The summary tree as builders, searches and pages read it, with its counts and settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from hopyard.indexes.arrays.ragged import load_array
from hopyard.indexes.corpus.manifest import damage_error
from hopyard.indexes.written.stats import Plain, WrittenCounts, WrittenStats
from hopyard.state.text.counting import counted
from hopyard.state.text.tokens import tokens_of

_FILE: Final = "summaries.jsonl"
_VECTORS: Final = "vectors.npy"


class Sentence(Plain):
    """A sentence of a summary."""

    text: str
    passages: tuple[str, ...]
    """Ids of the passages that it rests on, the most important first; never none."""


class Summary(Plain):
    """The summary of a cluster."""

    id: str
    """`#LAYER-NUMBER`, such as `#1-12`. Layer 0 are the passages. Another build numbers again."""
    children: tuple[str, ...]
    """The nodes that it summarises: ids of passages on layer 1, of summaries above."""
    key: str
    """The hash of what was summarised, by which another build finds it."""
    sentences: tuple[Sentence, ...]

    @property
    def layer(self) -> int:
        """Its layer, from 1."""
        return int(self.id[1:].partition("-")[0])

    @property
    def text(self) -> str:
        """Its sentences."""
        return " ".join(sentence.text for sentence in self.sentences)

    @cached_property
    def passages(self) -> tuple[str, ...]:
        """The passages that its sentences rest on, in their order."""
        named = (name for sentence in self.sentences for name in sentence.passages)
        return tuple(dict.fromkeys(named))

    @cached_property
    def tokens(self) -> int:
        """The tokens of its text."""
        return tokens_of(self.text)


class SummaryTree:
    """The tree of one generation. Any thread may use it.

    Args:
        summaries: All summaries, layer by layer.
        vectors: [m, d] Their embeddings.
    """

    def __init__(self, summaries: Sequence[Summary], vectors: NDArray[np.float32]) -> None:
        self.summaries: Final = tuple(summaries)
        self.vectors: Final = vectors
        self.rows: Final = {summary.id: row for row, summary in enumerate(self.summaries)}

    def part(self, passages: Collection[str]) -> SummaryTree:
        """The summaries that are made of some passages only, whatever their sentences rest on."""
        whole = {*passages}
        for summary in self.summaries:
            if whole.issuperset(summary.children):
                whole.add(summary.id)
        rows = [row for row, summary in enumerate(self.summaries) if summary.id in whole]
        return SummaryTree([self.summaries[row] for row in rows], self.vectors[rows])

    @property
    def layers(self) -> int:
        """The number of layers of summaries."""
        return self.summaries[-1].layer if self.summaries else 0

    def at(self, layer: int) -> list[Summary]:
        """The summaries of a layer, from 1."""
        return [summary for summary in self.summaries if summary.layer == layer]

    @cached_property
    def leaves(self) -> frozenset[str]:
        """The ids of all passages."""
        return frozenset(name for summary in self.at(1) for name in summary.children)

    def above(self, passage_id: str) -> list[Summary]:
        """The summaries of the clusters that a passage is in, layer by layer."""
        reached = self.leading_to([passage_id])
        return [summary for summary in self.summaries if summary.id in reached]

    def leading_to(self, passage_ids: Iterable[str]) -> set[str]:
        """Some passages, and the ids of all summaries above them."""
        reached = {*passage_ids}
        for summary in self.summaries:
            if not reached.isdisjoint(summary.children):
                reached.add(summary.id)
        return reached

    def save(self, directory: Path) -> None:
        """Write the tree into a kind's folder."""
        with (directory / _FILE).open("w", encoding="utf-8") as file:
            file.writelines(f"{summary.model_dump_json()}\n" for summary in self.summaries)
        np.save(directory / _VECTORS, self.vectors, allow_pickle=False)

    @classmethod
    def load(cls, directory: Path) -> SummaryTree:
        """Read what `save` wrote.

        Raises:
            IndexMissingError: A file is missing or damaged.
        """
        file = directory / _FILE
        try:
            lines = file.read_bytes().splitlines()
            summaries = [Summary.model_validate_json(line) for line in lines]
        except OSError as error:
            raise damage_error(file, f"cannot be read ({error.strerror})") from error
        except ValidationError as error:
            raise damage_error(file, "holds a line that is no summary") from error
        vectors = load_array(directory / _VECTORS, np.float32, 2, rows=len(summaries))
        return cls(summaries, vectors)


TREE_VERSION: Final = 1
"""Counted up when clusters, summaries by rule or files change: then the tree is built again."""


class MadeWith(Plain):
    """The settings of the tree."""

    version: int = TREE_VERSION
    writer: Literal["rule", "model"]
    tokens: int
    """Tokens of a cluster at most."""
    embedding: str
    dimension: int


class TreeStats(WrittenStats):
    """Counts of one generation of the tree."""

    made_with: MadeWith
    passages: int
    layers: tuple[int, ...]
    """The summaries of each layer, from 1."""
    by_rule: int
    """Summaries that have no text of the model."""
    rewritten: int
    """Summaries that the last generation did not have."""
    updates: int = 0
    """Additions and removals since all was clustered from scratch."""
    written: WrittenCounts

    def plain(self) -> dict[str, Any]:
        """Values for `hopyard index status`, without those of 0."""
        values = super().plain()
        made = values.pop("made_with")
        layers = {
            f"layer_{number}": counted(size, "summary")
            for number, size in enumerate(values.pop("layers"), start=1)
        }
        return {
            name: value
            for name, value in {"writer": made["writer"], **layers, **values}.items()
            if value
        }
