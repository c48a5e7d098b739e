"""How the default index grows: time, memory, disk, recall and questions a second by passages.

    python benchmarks/scale.py --sizes 10000 100000 300000

Passages are made of words by Zipf's law, and vectors are mixtures of Gaussians of 384 dimensions:
no model takes part. Each size is built, opened and changed in processes of its own, so that their
memory is their own. Recall is measured on three kinds of vectors: `clustered` (narrow clusters),
`hard` (wide clusters that overlap) and `random` (no clusters, which no text gives). Writes the
results of the sizes into `benchmarks/results/scale.json`, beside those of other sizes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.building.build import add, build, remove
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.dense import LARGE
from hopyard.indexes.kinds.dense.hnsw import DenseIndex
from hopyard.indexes.kinds.dense.ivf import IvfIndex
from hopyard.indexes.kinds.dense.reader import DenseReader
from hopyard.indexes.search import SEARCHES, Search
from hopyard.state.settings.fields import Context

RESULTS: Final = Path(__file__).resolve().parent / "results" / "scale.json"
DIMENSION: Final = 384
TOPICS: Final = 300
WORDS: Final = 60
VOCABULARY: Final = 100_000
LETTERS: Final = np.array(list("bcdfghjklmnpqrstvwxz"))
QUESTIONS: Final = 100
ASKERS: Final = (1, 8, 32)
ASKED: Final = 256
FILTERS: Final = ("publisher=House 3", "date>=2012", "publisher!=House 1,House 2", "title=Note 7")
MB: Final = 1e6

Vector = Vectors = NDArray[np.float32]


class Synthetic:
    """Embeds a text as a step off the centre of its topic, which is its last word."""

    name, dimension, window, tokenizer = "scale:synthetic", DIMENSION, 512, None

    def __init__(self) -> None:
        self._centres = np.random.default_rng(0).normal(size=(TOPICS, DIMENSION))

    def embed_documents(self, texts: list[str]) -> Vectors:
        """Vectors [n, d] of texts, always the same."""
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        """The vector [d] of a text."""
        *_, topic, number = text.rsplit(None, 2)
        noise = np.random.default_rng(int(number)).normal(size=DIMENSION)
        vector = self._centres[int(topic.removeprefix("topic"))] + 0.8 * noise
        return (vector / np.linalg.norm(vector)).astype(np.float32)


def documents(start: int, end: int) -> Iterator[Document]:
    """Documents of one passage: a topic, a publisher, a date, and words by Zipf's law."""
    vocabulary, shares = zipf()
    for number in range(start, end):
        random = np.random.default_rng((2, number))
        words = np.searchsorted(shares, random.random(WORDS)).clip(max=VOCABULARY - 1)
        text = " ".join(vocabulary[word] for word in words)
        day = int(random.integers(9000))
        date = str(np.datetime64("2000-01-01") + day)
        about = {"publisher": f"House {number % 50}", "date": date, "pages": number % 400}
        ending = f"topic{random.integers(TOPICS)} {number}"
        yield Document(f"n{number:08}", f"Note {number}", f"{text} {ending}", about)


@cache
def zipf() -> tuple[list[str], NDArray[np.float64]]:
    """Words, and the cumulated share of each by Zipf's law."""
    spelt = np.random.default_rng(1).integers(len(LETTERS), size=(VOCABULARY, 6))
    share = 1 / np.arange(1, VOCABULARY + 1)
    return ["".join(LETTERS[row]) for row in spelt], np.cumsum(share / share.sum())


def timed(stages: dict[str, Any]) -> Callable[[str, int, int], None]:
    """A progress callback that notes when each stage begins."""

    def progress(stage: str, done: int, total: int) -> None:
        del done, total
        if stage not in stages:
            stages[stage] = (time.perf_counter(), cpu())

    return progress


def cpu() -> float:
    """Seconds of all threads of this process."""
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def built(run: Any, stages: dict[str, Any]) -> dict[str, Any]:
    """Run a build; seconds, processor seconds and memory, in all and by stage."""
    began, before = time.perf_counter(), cpu()
    asyncio.run(run)
    marks = [*sorted(stages.items(), key=lambda item: item[1]), ("", (time.perf_counter(), cpu()))]
    return {
        "seconds": round(time.perf_counter() - began, 1),
        "cpu": round(cpu() - before, 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB),
        "cpu_by_stage": {
            name: round(following[1][1] - at[1], 1)
            for (name, at), following in zip(marks, marks[1:], strict=False)
        },
    }


def build_size(directory: Path, size: int) -> dict[str, Any]:
    """Build an index."""
    stages: dict[str, Any] = {}
    run = build(
        documents(0, size),
        directory=directory,
        embedder=Synthetic(),
        chunk_tokens=0,
        settings=Context.model_validate({"indexing": {"metadata": "publisher"}}),
        progress=timed(stages),
    )
    found = built(run, stages)
    files = [file for file in directory.rglob("*") if file.is_file()]
    found["disk_mb"] = {
        "all": round(sum(file.stat().st_size for file in files) / MB, 1),
        "corpus.sqlite": round((directory / "corpus.sqlite").stat().st_size / MB, 1),
        **{
            name: round(sum(f.stat().st_size for f in files if f.parent.name == name) / MB, 1)
            for name in ("dense", "sparse", "fields")
        },
    }
    return found


def add_to(directory: Path, size: int) -> dict[str, Any]:
    """Add 1 %."""
    stages: dict[str, Any] = {}
    more = documents(size, size + size // 100)
    run = add(more, directory=directory, embedder=Synthetic(), progress=timed(stages))
    return built(run, stages)


def remove_from(directory: Path, size: int) -> dict[str, Any]:
    """Remove 1 %."""
    stages: dict[str, Any] = {}
    names = [f"n{number:08}" for number in range(0, size, 100)]
    return built(remove(names, directory=directory, progress=timed(stages)), stages)


def memory() -> dict[str, float]:
    """Megabytes of this process: private ones that no file backs, and all that are in memory."""
    lines = Path("/proc/self/smaps_rollup").read_text("utf-8").splitlines()[1:]
    held = {line.split(":")[0]: int(line.split()[1]) / 1000 for line in lines}
    return {"private_mb": round(held["Anonymous"]), "resident_mb": round(held["Rss"])}


def search_size(directory: Path, size: int) -> dict[str, Any]:
    """Open an index and search it."""
    import hopyard.indexes.searches.hybrid.fusion  # noqa: F401  (its memory counts as imports)

    found: dict[str, Any] = {"before": memory()}
    began = time.perf_counter()
    with Index.open(directory) as index:
        for kind in ("dense", "sparse"):
            index.reader(kind)
        found["open_ms"] = round(1000 * (time.perf_counter() - began), 1)
        texts = asked(size)
        for method in ("dense", "sparse", "hybrid"):
            found[method] = {
                f"per_second_{askers}": round(asyncio.run(rate(index, method, texts, askers)), 1)
                for askers in ASKERS
            }
        found["after"] = memory()
        found["filters"] = [filtered(index, where, texts) for where in FILTERS]
        found["after_filters"] = memory()
    return found


def asked(size: int) -> list[str]:
    """Questions of six words of a passage, about its topic."""
    texts = []
    for number in range(0, size, max(1, size // ASKED)):
        [document] = documents(number, number + 1)
        words = str(document.text).split()
        texts.append(" ".join([*words[10:16], words[-2], str(number + 10**9)]))
    return texts[:ASKED]


def search_for(index: Index, text: str, allowed: Any = None) -> Search:
    """A search for ten passages."""
    model = Synthetic()

    async def embed(text: str) -> Vector:
        return model.embed_query(text)

    return Search(text, 10, index, Context(), embed, allowed=allowed)


async def rate(index: Index, method: str, texts: Sequence[str], askers: int) -> float:
    """Questions a second, of a number of askers at once."""
    waiting = [search_for(index, text) for text in texts]
    await SEARCHES[method].run(waiting[0])
    began, places = time.perf_counter(), iter(waiting)

    async def ask() -> None:
        for search in places:
            await SEARCHES[method].run(search)

    await asyncio.gather(*(ask() for _ in range(askers)))
    return len(texts) / (time.perf_counter() - began)


def filtered(index: Index, where: str, texts: Sequence[str]) -> dict[str, Any]:
    """How long a filter takes, first and later, and the searches with it."""
    marks = [time.perf_counter()]
    allowed = index.allowed([where])
    marks.append(time.perf_counter())
    index.allowed([where])
    marks.append(time.perf_counter())
    assert allowed is not None
    row: dict[str, Any] = {
        "where": where,
        "share": round(len(allowed) / index.manifest.counts["passages"], 4),
    }
    for method in ("dense", "sparse"):
        began = time.perf_counter()
        for text in texts[:20]:
            asyncio.run(SEARCHES[method].run(search_for(index, text, allowed)))
        row[f"{method}_ms"] = round(1000 * (time.perf_counter() - began) / 20, 1)
    first, later = np.diff(marks) * 1000
    return row | {"first_ms": round(first, 1), "later_ms": round(later, 3)}


def vectors_of(kind: str, count: int, seed: int) -> Vectors:
    """Unit vectors [n, d] of a kind."""
    topics, spread = {"clustered": (TOPICS, 0.8), "hard": (100, 2.0), "random": (1, 1e6)}[kind]
    centres = np.random.default_rng(0).normal(size=(topics, DIMENSION)).astype(np.float32)
    random = np.random.default_rng(seed)
    found = np.empty((count, DIMENSION), dtype=np.float32)
    for start in range(0, count, 10_000):
        part = found[start : start + 10_000]
        part[:] = centres[random.integers(topics, size=len(part))]
        part += spread * random.standard_normal(part.shape, dtype=np.float32)
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return found


def recall(index: DenseReader, exact: Sequence[set[str]], asked: Vectors) -> dict[str, float]:
    """Recall at 10 against exact search, and milliseconds a question."""
    began = time.perf_counter()
    hits = [
        len(want & {name for name, _ in index.search(each, 10)})
        for want, each in zip(exact, asked, strict=True)
    ]
    return {
        "recall": sum(hits) / 10 / len(asked),
        "ms": round(1000 * (time.perf_counter() - began) / len(asked), 2),
    }


def recall_of(directory: Path, size: int) -> dict[str, Any]:
    """Recall of both dense indexes on each kind of vectors; HNSW only where the default uses it."""
    del directory
    found: dict[str, Any] = {}
    ids = [f"n{row:08}" for row in range(size)]
    for kind in ("clustered", "hard", "random"):
        vectors, questions = vectors_of(kind, size, 1), vectors_of(kind, QUESTIONS, 2)
        exact = []
        for question in questions:
            scores = vectors @ question
            exact.append({ids[row] for row in np.argpartition(-scores, 10)[:10]})
        for name, maker in (("ivf", IvfIndex), ("hnsw", DenseIndex)):
            if name == "ivf" or size <= 2 * LARGE:
                began = cpu()
                index = maker.build(ids, vectors)
                seconds = round(cpu() - began, 1)
                found[f"{kind} {name}"] = {"build_cpu": seconds, **recall(index, exact, questions)}
    return found


PARTS: Final = {
    "build": build_size,
    "search": search_size,
    "add": add_to,
    "remove": remove_from,
    "recall": recall_of,
}


def main() -> None:
    """Measure the sizes one by one, each part in a new process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 300_000])
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS)
    parser.add_argument("--print", action="store_true", help="Print only; write no results.")
    parser.add_argument("--folder", type=Path, help="Keep the indexes here.")
    parser.add_argument("--run", choices=PARTS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        print(json.dumps(PARTS[options.run](options.folder, options.sizes[0])))
        return
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {"sizes": {}}
    kept["command"] = "python benchmarks/scale.py --sizes 10000 100000 300000 1000000"
    with tempfile.TemporaryDirectory() as temporary:
        for size in options.sizes:
            folder = (options.folder or Path(temporary)) / str(size)
            row = kept["sizes"].setdefault(str(size), {})
            for part in options.parts:
                command = [
                    sys.executable,
                    __file__,
                    "--run",
                    part,
                    "--folder",
                    str(folder),
                    "--sizes",
                    str(size),
                ]
                done = subprocess.run(
                    command, check=True, capture_output=True, text=True, env=os.environ
                )
                row[part] = json.loads(done.stdout.splitlines()[-1])
                row[part]["load"] = round(os.getloadavg()[0], 1)
                print(size, part, json.dumps(row[part]), flush=True)
                if not options.print:
                    RESULTS.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
            if not options.folder:
                shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
