"""Data sets and indexes of the entity-graph benchmark."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hopyard.indexes.building.build import build
from hopyard.indexes.corpus.manifest import MANIFEST_FILE
from hopyard.indexes.documents.loaders import load
from hopyard.measures.questions import Question, read_questions
from hopyard.models.embeddings import embedder
from hopyard.state.settings.fields import Context

__all__ = ("GRAPHS", "SPLITS", "DataSet", "build_index", "data_sets")

SPLITS: Final = ("dev", "train")

GRAPHS: Final[Mapping[str, Mapping[str, Any]]] = {
    "full": {"merge": 0.8, "synonyms": 0.8, "sentences": True},
    "default": {"merge": 0.8, "synonyms": 0.0, "sentences": False},
    "synonyms": {"merge": 0.8, "synonyms": 0.8, "sentences": False},
}
"""Settings of the entity graph by name; `default` has Hopyard's defaults."""

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

    def index_name(self, builder: str, graph: str) -> str:
        """The name of the index with one of its graphs."""
        return f"{self.name}-{builder}-{graph}"


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


def build_index(data: DataSet, builder: str, graph: str, folder: Path) -> None:
    """Build the index with an entity graph, or bring the one in the folder up to date.

    A new one takes vectors from another graph of the data set, if there is one.

    Args:
        data: The data set.
        builder: rules or openie.
        graph: The name of the graph's settings.
        folder: Where the indexes are.
    """
    directory = folder / data.index_name(builder, graph)
    if (directory / MANIFEST_FILE).exists():
        _build(data, builder, graph, directory)
        return
    print(f"Building {directory.name}", flush=True)
    unfinished = folder / "unfinished"
    shutil.rmtree(unfinished, ignore_errors=True)
    # The full graph has the vectors of all others.
    names = (data.index_name(builder, other) for other in ("full", "*"))
    others = [index for name in names for index in sorted(folder.glob(name))]
    if others:
        shutil.copytree(others[0], unfinished)
    _build(data, builder, graph, unfinished)
    unfinished.rename(directory)


def _build(data: DataSet, builder: str, graph: str, directory: Path) -> None:
    """Build the index. Where it is current, nothing is written."""
    extractions = str(data.extractions) if builder == "openie" else ""
    settings = Context.model_validate({"graph": {**GRAPHS[graph], "extractions": extractions}})
    documents = load([data.corpus]).documents
    asyncio.run(
        build(
            documents,
            directory=directory,
            embedder=embedder("builtin"),
            kinds=_KINDS,
            settings=settings,
        )
    )
