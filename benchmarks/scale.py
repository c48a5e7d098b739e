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
from collections.abc import Callable, Coroutine, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hopyard.indexes.build_context import Progress
from hopyard.indexes.building.build import add, build, remove
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
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
ASKED_OF_MANY: Final = 32
"""Questions to more than 300,000 passages."""
FILTERS: Final = ("publisher=House 3", "date>=2012", "publisher!=House 1", "title=Note 7")
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


class Clock:
    """Milliseconds between laps, by the clock on the wall and of the processor."""

    def __init__(self) -> None:
        self._marks = time.perf_counter(), cpu()

    def lap(self, count: int = 1) -> dict[str, float]:
        """Milliseconds since the last lap, for each of several things."""
        before, self._marks = self._marks, (time.perf_counter(), cpu())
        wall, used = (
            1000 * (now - then) / count for now, then in zip(self._marks, before, strict=True)
        )
        return {"wall_ms": round(wall, 3), "cpu_ms": round(used, 3)}


def cpu() -> float:
    """Seconds of all threads of this process."""
    return sum(resource.getrusage(resource.RUSAGE_SELF)[:2])


def changed(directory: Path, change: Callable[[Progress], Coroutine[Any, Any, Any]]) -> Any:
    """Change an index: seconds in all and by stage, memory, and the disk after it."""
    clock, stages, seen = Clock(), dict[str, float](), dict[str, float]()

    def told(stage: str, done: int, total: int) -> None:
        del done, total
        seen.setdefault(stage, cpu())

    asyncio.run(change(told))
    for (stage, at), end in zip(seen.items(), [*[*seen.values()][1:], cpu()], strict=True):
        stages[stage] = round(end - at, 1)
    files = [file for file in directory.rglob("*") if file.is_file()]
    newest = max(directory.glob("gen-*"))
    disk = {name: newest / name for name in ("dense", "sparse", "fields")}
    return {
        **clock.lap(),
        "cpu_seconds_by_stage": stages,
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB),
        "mb_on_disk": {
            name: round(
                sum(file.stat().st_size for file in files if folder in file.parents) / MB, 1
            )
            for name, folder in ({"all": directory} | disk).items()
        },
    }


def build_size(directory: Path, size: int) -> dict[str, Any]:
    """Build an index."""
    given = documents(0, size)
    where: dict[str, Any] = {"directory": directory, "embedder": Synthetic(), "chunk_tokens": 0}
    return changed(directory, lambda told: build(given, **where, progress=told))


def add_to(directory: Path, size: int) -> dict[str, Any]:
    """Add 1 %."""
    more = documents(size, size + size // 100)
    where: dict[str, Any] = {"directory": directory, "embedder": Synthetic()}
    return changed(directory, lambda told: add(more, **where, progress=told))


def remove_from(directory: Path, size: int) -> dict[str, Any]:
    """Remove 1 %."""
    names = [f"n{number:08}" for number in range(0, size, 100)]
    return changed(directory, lambda told: remove(names, directory=directory, progress=told))


def memory() -> dict[str, float]:
    """Megabytes of this process: those that no file backs, and all that are in memory."""
    lines = Path("/proc/self/smaps_rollup").read_text("utf-8").splitlines()[1:]
    held = {line.split(":")[0]: int(line.split()[1]) / 1000 for line in lines}
    return {"private_mb": round(held["Anonymous"]), "resident_mb": round(held["Rss"])}


def search_size(directory: Path, size: int) -> dict[str, Any]:
    """Open an index and search it."""
    import hopyard.indexes.kinds.sparse.scores  # noqa: F401  (its memory counts as imports)

    found: dict[str, Any] = {"before": memory()}
    with Index.open(directory) as warm:  # loads the modules
        warm.reader("dense"), warm.reader("sparse")
    clock = Clock()
    with Index.open(directory) as index:
        dense, sparse = index.reader("dense"), index.reader("sparse")
        found["open"] = clock.lap()
        found["holds"] = [len(dense), len(sparse)]
        texts = asked(size)
        for method in ("dense", "sparse", "hybrid"):
            found[method] = {
                f"{askers} askers": asyncio.run(rate(index, method, texts, askers))
                for askers in ASKERS
            }
        found["after"] = memory()
        found["filters"] = [filtered(index, where, texts) for where in FILTERS]
        found["after_filters"] = memory()
    return found


def asked(size: int) -> list[str]:
    """Questions of six words of a passage, about its topic."""
    texts, count = [], ASKED if size <= 300_000 else ASKED_OF_MANY
    for number in range(0, size, max(1, size // count)):
        [document] = documents(number, number + 1)
        words = str(document.text).split()
        texts.append(" ".join([*words[10:16], words[-2], str(number + 10**9)]))
    return texts[:count]


def search_for(index: Index, text: str, allowed: Any = None) -> Search:
    """A search for ten passages. The question is embedded beforehand."""
    vector = Synthetic().embed_query(text)

    async def embed(_: str) -> Vector:
        return vector

    return Search(text, 10, index, Context(), embed, allowed=allowed)


async def rate(index: Index, method: str, texts: Sequence[str], askers: int) -> dict[str, float]:
    """Questions a second of several askers at once, and the time of each."""
    waiting = [search_for(index, text) for text in texts]
    await SEARCHES[method].run(waiting[0])
    clock, places = Clock(), iter(waiting)

    async def ask() -> None:
        for search in places:
            await SEARCHES[method].run(search)

    await asyncio.gather(*(ask() for _ in range(askers)))
    taken = clock.lap(len(texts))
    return taken | {"per_second": round(1000 / taken["wall_ms"], 1)}


def filtered(index: Index, where: str, texts: Sequence[str]) -> dict[str, Any]:
    """How long a filter takes, first and later, and the searches with it."""
    clock = Clock()
    allowed = index.allowed([where])
    row: dict[str, Any] = {"where": where, "first": clock.lap()}
    index.allowed([where])
    row["later"] = clock.lap()
    row["passages"] = len(allowed or ())
    for method in ("dense", "sparse"):
        waiting = [search_for(index, text, allowed) for text in texts[:20]]
        clock.lap()
        for search in waiting:
            asyncio.run(SEARCHES[method].run(search))
        row[method] = clock.lap(len(waiting))
    return row


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
    """Recall at 10 against exact search, and what a question takes."""
    clock, hits = Clock(), 0
    for wanted, question in zip(exact, asked, strict=True):
        hits += len(wanted & {name for name, _ in index.search(question, 10)})
    return {"recall": round(hits / 10 / len(asked), 4), **clock.lap(len(asked))}


def recall_of(directory: Path, size: int) -> dict[str, Any]:
    """Recall of the inverted lists on each kind of vectors."""
    del directory
    found: dict[str, Any] = {}
    ids = [f"n{row:08}" for row in range(size)]
    for kind in ("clustered", "hard", "random"):
        vectors, questions = vectors_of(kind, size, 1), vectors_of(kind, QUESTIONS, 2)
        exact = []
        for question in questions:
            scores = vectors @ question
            exact.append({ids[row] for row in np.argpartition(-scores, 10)[:10]})
        began = cpu()
        index = IvfIndex.build(ids, vectors)
        seconds = round(cpu() - began, 1)
        found[f"{kind} ivf"] = {"build_cpu": seconds, **recall(index, exact, questions)}
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
