"""Data sets and indexes of the entity-graph benchmark."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hopyard.indexes.building.build import build
from hopyard.indexes.documents.loaders import load
from hopyard.measures.questions import Question, read_questions
from hopyard.models.embeddings import embedder
from hopyard.state.settings.fields import Context

__all__ = ("SPLITS", "DataSet", "build_index", "data_sets")

SPLITS: Final = ("dev", "train")

_SETS: Final = ("musique", "hotpotqa", "2wikimultihopqa", "multihoprag")
_KINDS: Final = ("dense", "sparse", "entity-graph")


@dataclass(frozen=True, eq=False)
class DataSet:
    """A corpus and its questions.

    Attributes:
        name: Its name.
        corpus: The corpus file.
        questions: The questions of both splits.
    """

    name: str
    corpus: Path
    questions: list[Question]

    @property
    def index_name(self) -> str:
        """The name of its index."""
        return f"{self.name}-rules"


def data_sets(data: Path) -> Iterator[DataSet]:
    """The data sets that the folder of data holds; a sentence is printed for each other one."""
    for name in _SETS:
        source = data / name
        if not source.is_dir():
            print(f"Skipping {name}: there is no folder {source}.")
            continue
        yield DataSet(name, source / "corpus.jsonl", read_questions(source / "questions.jsonl"))


def build_index(data: DataSet, folder: Path) -> None:
    """Build the index with an entity graph, or bring the one in the folder up to date."""
    asyncio.run(
        build(
            load([data.corpus]).documents,
            directory=folder / data.index_name,
            embedder=embedder("builtin"),
            kinds=_KINDS,
            settings=Context(),
        )
    )
