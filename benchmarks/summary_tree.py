"""The summary tree against hybrid search, after changes, and its time to build. No chat model.

    python benchmarks/summary_tree.py DATA FOLDER [--embedding builtin:e5] [PART…]

DATA has the folders `musique`, `multihoprag` and `graphrag_bench_medical`, and for `growth` also
those of `GROWN`; FOLDER keeps the indexes. The parts:

- `musique`, `multihoprag`: the share of the supporting documents among what is read, at equal
  tokens, on the `dev` questions. A document is read `whole` if one of its passages is read, and
  `quoted` if only a summary has a sentence of it.
- `medical`: long documents without gold passages. The share of the reference answer's words (no
  stop words, not those of the question) among what is read, by the type of question. Every second
  question is asked.
- `change`: from 99 % and 90 % of MultiHop-RAG's documents, the rest is added. The share of the
  summaries that are new, and the recall beside that of a build from scratch.
- `growth`: CPU seconds of a tree whose passages have vectors, with the shares of UMAP, of
  scikit-learn's mixtures and of the embedding model, on parts of five sets together.

Writes `benchmarks/results/summary_tree.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import json
import random
import re
import shutil
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import numpy as np

from hopyard.indexes.building.build import add, build
from hopyard.indexes.documents.loaders import load
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.summary_tree import building, clustering
from hopyard.indexes.kinds.summary_tree.tree import TreeStats
from hopyard.indexes.text.language import stop_words
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.schemas import Evidence
from hopyard.state.settings.sources import read_context
from hopyard.state.text.tokens import tokens_of

RESULTS: Final = Path(__file__).parent / "results" / "summary_tree.json"
KINDS: Final = ["dense", "sparse", "summary-tree"]
METHODS: Final = ("hybrid", "dense", "summaries", "summary-walk")
TOKENS: Final = (1000, 2000)
UNITS: Final = 100
WALK: Final = 20
"""Nodes of a layer for `summary-walk`; with 100, it would look at nearly all."""
SEED: Final = 0
GROWN: Final = ("musique", "multihoprag", "hotpotqa", "2wikimultihopqa", "wildgraphbench")
SHARES: Final = (24, 12, 6, 3, 1.2)
"""Parts of the characters of all sets: 1/24 and so on, about 1,000 to 20,000 passages."""


class Bench:
    """Builds indexes in a folder, and searches them."""

    def __init__(self, data: Path, folder: Path, embedding: str, resources: Resources) -> None:
        self.data, self.folder, self.embedding = data, folder, embedding
        self.resources = resources
        self.embedder = resources.embedder(embedding)

    def documents(self, name: str) -> list[Any]:
        """The documents of a set, in one shuffled order."""
        found = load([str(self.data / name / "corpus.jsonl")]).documents
        random.Random(SEED).shuffle(found)
        return found

    def questions(self, name: str) -> list[dict[str, Any]]:
        """The `dev` questions of a set; all if it has no parts."""
        lines = (self.data / name / "questions.jsonl").read_text("utf-8").splitlines()
        return [row for row in map(json.loads, lines) if row.get("split", "dev") == "dev"]

    async def build(
        self, name: str, documents: list[Any], start: str = "", kinds: Sequence[str] = KINDS
    ) -> Path:
        """Build an index, from a copy of another index that has the vectors already."""
        directory = self.folder / name
        if start and not directory.exists():
            shutil.copytree(self.folder / start, directory)
        settings = read_context({"embedding": self.embedding})
        await build(
            documents, directory=directory, embedder=self.embedder, kinds=kinds, settings=settings,
            chunk_tokens=300,
        )  # fmt: skip
        return directory

    async def read(self, directory: Path, text: str, method: str, tokens: int) -> list[Evidence]:
        """Evidence of a search for so many tokens."""
        settings = read_context({
            "index": str(directory), "embedding": self.embedding, "summaries": {"tokens": tokens},
        })  # fmt: skip
        run = Run("bench", settings, self.resources)
        k = WALK if method == "summary-walk" else UNITS
        found = await run.find(text, k=k, method=method)
        read: list[Evidence] = []
        for unit in found:
            tokens -= sum(map(tokens_of, await self.texts(run, unit)))
            if read and tokens < 0:
                break
            read.append(unit)
        return read

    @staticmethod
    async def texts(run: Run, unit: Evidence) -> list[str]:
        """The texts that are read of a unit."""
        if "texts" in unit:
            return unit["texts"]
        return [passage.text for passage in await run.passages(unit["passages"])]


async def recall(
    bench: Bench, name: str, directory: Path, method: str, tokens: int
) -> dict[str, float]:
    """The share of a set's supporting documents that are read, or at least quoted."""
    whole = quoted = units = summaries = 0.0
    questions = [row for row in bench.questions(name) if row["supporting_ids"]]
    for row in questions:
        read = await bench.read(directory, row["question"], method, tokens)
        wanted = set(row["supporting_ids"])
        seen = {name.partition("#")[0] for unit in read for name in unit["passages"]}
        own = {unit["id"].partition("#")[0] for unit in read if "texts" not in unit}
        whole += len(wanted & own) / len(wanted)
        quoted += len(wanted & seen) / len(wanted)
        units += len(read)
        summaries += sum("texts" in unit for unit in read)
    count = len(questions)
    return {
        "whole": round(whole / count, 4),
        "whole_or_quoted": round(quoted / count, 4),
        "units": round(units / count, 1),
        "summaries": round(summaries / count, 1),
    }


async def retrieval(bench: Bench, name: str) -> dict[str, Any]:
    """Recall of all methods."""
    directory = await bench.build(name, bench.documents(name))
    found: dict[str, Any] = size_of(directory)
    for tokens in TOKENS:
        found[f"{tokens} tokens"] = {
            method: shown(method, await recall(bench, name, directory, method, tokens))
            for method in METHODS
        }
    return found


async def medical(bench: Bench) -> dict[str, Any]:
    """Coverage of the reference answers' words."""
    directory = await bench.build("medical", bench.documents("graphrag_bench_medical"))
    stops = stop_words("en")
    found: dict[str, Any] = size_of(directory)
    for tokens in TOKENS[-1:]:
        table: dict[str, Any] = {}
        for method in METHODS[:3]:
            covered = defaultdict(list)
            for row in bench.questions("graphrag_bench_medical")[::2]:
                read = await bench.read(directory, row["question"], method, tokens)
                settings = read_context({"index": str(directory), "embedding": bench.embedding})
                run = Run("bench", settings, bench.resources)
                seen = {w for unit in read for t in await bench.texts(run, unit) for w in words(t)}
                wanted = {*words(" ".join(row["answers"]))} - stops - {*words(row["question"])}
                if wanted:
                    covered[row["type"]].append(len(wanted & seen) / len(wanted))
            table[method] = shown(
                method, {kind: round(sum(c) / len(c), 4) for kind, c in sorted(covered.items())}
            )
        found[f"{tokens} tokens"] = table
    return found


def words(text: str) -> list[str]:
    """The words of a text, in small letters."""
    return re.findall(r"\w+", text.casefold())


async def change(bench: Bench) -> dict[str, Any]:
    """Summaries that change, and recall, after additions."""
    name = "multihoprag"
    documents, found = bench.documents(name), {}
    whole = await recall(bench, name, bench.folder / name, "summaries", 2000)
    for share in (1, 10):
        kept = len(documents) - len(documents) * share // 100
        directory = await bench.build(f"{name}-{share}", documents[:kept], name)
        settings = read_context({"embedding": bench.embedding})
        await add(documents[kept:], directory=directory, embedder=bench.embedder, settings=settings)
        stats = stats_of(directory)
        found[f"{share} % added"] = shown(str(share), {
            "rewritten": round(stats.rewritten / sum(stats.layers), 4),
            "layers": stats.layers,
            "recall": await recall(bench, name, directory, "summaries", 2000),
            "recall_from_scratch": whole,
        })  # fmt: skip
    return found


async def growth(bench: Bench) -> list[dict[str, Any]]:
    """CPU seconds of the trees, after one that compiles UMAP."""
    documents = [
        replace(document, id=f"{name}-{document.id}")
        for name in GROWN
        for document in bench.documents(name)
    ]
    random.Random(SEED).shuffle(documents)
    ends = [*accumulate(len(document.text) for document in documents)]
    await bench.build("growth", documents, kinds=["dense"])
    warm = np.random.default_rng(SEED).normal(size=(100, 384)).astype(np.float32)
    clustering.clusters_of(warm, [100] * 100, clustering.TOKENS)
    rows = []
    for share in SHARES:
        name, times = f"growth-{share}", defaultdict[str, float](float)
        shutil.rmtree(bench.folder / name, ignore_errors=True)
        count = sum(end <= ends[-1] / share for end in ends)
        with timed(times):
            await bench.build(name, documents[:count], "growth")
        times["others"] = times["tree"] - sum(times[part] for part in ("umap", "mixtures", "embed"))
        seconds = {part: round(value, 1) for part, value in times.items()}
        rows.append(shown(name, {**size_of(bench.folder / name), "cpu_seconds": seconds}))
        shutil.rmtree(bench.folder / name)
    return rows


@contextmanager
def timed(times: dict[str, float]) -> Iterator[None]:
    """Add up the CPU seconds of a tree, and of UMAP, the mixtures and the embedding in it."""
    own: list[tuple[Any, str, str]] = [
        (building, "build", "tree"),
        (building.BuildContext, "embed", "embed"),
        (clustering, "_reduced", "umap"),
        (clustering, "_fitted", "mixtures"),
    ]
    before = [getattr(owner, name) for owner, name, _ in own]

    def measured(function: Callable[..., Any], part: str) -> Callable[..., Any]:
        @contextmanager
        def clock() -> Iterator[None]:
            began = time.process_time()
            try:
                yield
            finally:
                times[part] += time.process_time() - began

        def call(*arguments: Any) -> Any:
            with clock():
                return function(*arguments)

        async def call_async(*arguments: Any, **named: Any) -> Any:
            with clock():
                return await function(*arguments, **named)

        return call_async if inspect.iscoroutinefunction(function) else call

    for (owner, name, part), function in zip(own, before, strict=True):
        setattr(owner, name, measured(function, part))
    try:
        yield
    finally:
        for (owner, name, _), function in zip(own, before, strict=True):
            setattr(owner, name, function)


def stats_of(directory: Path) -> TreeStats:
    """The counts of a tree."""
    with Index.open(directory) as index:
        return TreeStats.load(index.kind_directory("summary-tree"))


def size_of(directory: Path) -> dict[str, Any]:
    """The size of a tree."""
    stats = stats_of(directory)
    return {"passages": stats.passages, "layers": stats.layers}


def shown(name: str, row: Any) -> Any:
    """Print a row."""
    print(name, json.dumps(row), flush=True)
    return row


PARTS: Final[dict[str, Callable[[Bench], Any]]] = {
    "musique": partial(retrieval, name="musique"),
    "multihoprag": partial(retrieval, name="multihoprag"),
    "medical": medical,
    "change": change,
    "growth": growth,
}


async def main() -> None:
    """Measure, and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("parts", nargs="*", default=list(PARTS))
    parser.add_argument("--embedding", default="builtin:e5")
    options = parser.parse_args()
    found = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    with Resources(options.folder / "home") as resources:
        bench = Bench(options.data, options.folder, options.embedding, resources)
        for part in options.parts:
            found |= {"embedding": options.embedding, part: await PARTS[part](bench)}
            RESULTS.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    asyncio.run(main())
