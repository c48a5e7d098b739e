"""Data sets and indexes of the entity-graph benchmark."""

from __future__ import annotations

import asyncio
import json
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

_WHOLE: Final = ("musique", "hotpotqa", "2wikimultihopqa", "multihoprag")
_KINDS: Final = ("dense", "sparse", "entity-graph")


@dataclass(frozen=True, eq=False)
class DataSet:
    """A corpus and its questions.

    Attributes:
        name: Its name.
        corpus: The corpus file.
        questions: The questions of both splits.
        extractions: A file of extractions by a model, for graphs other than those by rules.
    """

    name: str
    corpus: Path
    questions: list[Question]
    extractions: Path | None = None

    @property
    def builders(self) -> tuple[str, ...]:
        """What makes its graphs: rules, and openie where there are extractions."""
        return ("rules", "openie") if self.extractions else ("rules",)

    def index_name(self, builder: str) -> str:
        """The name of the index with one of its graphs."""
        return f"{self.name}-{builder}"


def data_sets(data: Path, folder: Path) -> Iterator[DataSet]:
    """The data sets that the folder of data holds; a sentence is printed for each other one.

    `musique-1890` is made here, of the passages of MuSiQue that have triples, and the questions
    whose supporting passages are all among these.
    """
    for name in _WHOLE:
        source = data / name
        if not source.is_dir():
            print(f"Skipping {name}: there is no folder {source}.")
            continue
        questions = read_questions(source / "questions.jsonl")
        if name == "musique" and (source / "openie.jsonl").exists():
            yield _with_triples(source, questions, folder)
        yield DataSet(name, source / "corpus.jsonl", questions)


def _with_triples(source: Path, questions: list[Question], folder: Path) -> DataSet:
    extractions = source / "openie.jsonl"
    ids = {json.loads(line)["id"] for line in extractions.open(encoding="utf-8")}
    corpus = folder / "musique-1890.jsonl"
    lines = (source / "corpus.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    corpus.write_text("".join(line for line in lines if json.loads(line)["id"] in ids), "utf-8")
    inside = [question for question in questions if ids.issuperset(question.supporting_ids)]
    return DataSet(corpus.stem, corpus, inside, extractions)


def build_index(data: DataSet, builder: str, folder: Path) -> None:
    """Build the index with an entity graph, or bring the one in the folder up to date.

    Args:
        data: The data set.
        builder: rules or openie.
        folder: Where the indexes are.
    """
    extractions = str(data.extractions) if builder == "openie" else None
    settings = Context.model_validate({"entity_graph": {"extractions": extractions}})
    asyncio.run(
        build(
            load([data.corpus]).documents,
            directory=folder / data.index_name(builder),
            embedder=embedder("builtin"),
            kinds=_KINDS,
            settings=settings,
        )
    )
