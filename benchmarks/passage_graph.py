"""Edge building of the passage graph: against every pair scored, and as the corpus grows.

    python benchmarks/passage_graph.py                        # everything; some minutes
    python benchmarks/passage_graph.py --passages 500 --sizes 500 1000 2000   # a quick look

First part: the best matches of all template questions of the 2WikiMultiHopQA passages, found by
`hopyard` (ours), by `literal` (the definition as it reads, every pair scored as in the authors'
program) and by `dense` (a blocked matrix product with sparse Jaccard). Same matches, seconds, and
peak memory beyond the questions themselves. Second part: seconds of ours while the corpus grows,
and the slope of the line through them on log-log axes.

Each measurement is a process of its own, so that no method inherits another's memory, and all of
them belong to one run. Linux only: peak memory is read from /proc.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from passage_graph_data import grow, load_corpus
from passage_graph_methods import dense, hopyard, literal
from passage_graph_report import plot, table

from hopyard.indexes.kinds.passage_graph.edges import build_edges
from hopyard.indexes.kinds.passage_graph.matching import Matches, best_matches
from hopyard.indexes.kinds.passage_graph.questions import Questions
from hopyard.indexes.kinds.passage_graph.similarity import similarity

_METHODS: Final = ("hopyard", "dense", "literal")
_SIZES: Final = (6000, 12000, 25000, 50000, 100000)
# Two matches this near are the same to a float32 sum; which one comes first is rounding.
_ROUNDING: Final = 1e-6


def main() -> None:
    """Run the benchmark, or with --worker one measurement of it."""
    arguments = _arguments()
    if arguments.worker:
        print(json.dumps(_work(arguments)))
        return
    arguments.cache.mkdir(parents=True, exist_ok=True)
    # Embed before anything is measured.
    load_corpus(arguments.corpus, arguments.passages, arguments.cache)
    compared = {method: _measure(arguments, method, arguments.passages) for method in _METHODS}
    result = {
        "passages": arguments.passages,
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "literal_sample": arguments.literal_sample,
        "methods": compared,
        "same": _compare(arguments),
        "growth": [_measure(arguments, "growth", size) for size in arguments.sizes],
    }
    result["slope"] = _slope(result["growth"])
    result["speed_ratio"] = compared["literal"]["seconds"] / compared["hopyard"]["seconds"]
    result["memory_share"] = compared["hopyard"]["peak_mb"] / compared["literal"]["peak_mb"]
    for path in (arguments.out, arguments.figure):
        path.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    plot(result, arguments.figure)
    print(table(result))


def _arguments() -> argparse.Namespace:
    here = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    shared = here.parent / "shared" / "data" / "2wikimultihopqa" / "corpus.jsonl"
    parser.add_argument("--corpus", type=Path, default=shared, help="corpus.jsonl to ask about")
    parser.add_argument("--passages", type=int, default=6119, help="passages of the comparison")
    parser.add_argument("--sizes", type=int, nargs="+", default=_SIZES, help="passages to grow to")
    parser.add_argument(
        "--literal-sample",
        type=int,
        help="score every pair of this many out-coming questions only, and scale the time up",
    )
    cache = Path(tempfile.gettempdir()) / "hopyard-benchmarks"
    parser.add_argument("--cache", type=Path, default=cache, help="where embeddings are kept")
    results = here / "benchmarks" / "results" / "passage_graph.json"
    parser.add_argument("--out", type=Path, default=results, help="where the numbers go")
    figure = here / "docs" / "figures" / "passage_graph.png"
    parser.add_argument("--figure", type=Path, default=figure, help="where the plot goes")
    parser.add_argument("--worker", choices=(*_METHODS, "growth"), help=argparse.SUPPRESS)
    parser.add_argument("--size", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def _measure(arguments: argparse.Namespace, method: str, size: int) -> dict[str, Any]:
    """One measurement in a process of its own."""
    command = [sys.executable, __file__, "--worker", method, "--size", str(size)]
    for name in ("corpus", "passages", "cache"):
        command += [f"--{name}", str(getattr(arguments, name))]
    if arguments.literal_sample is not None:
        command += ["--literal-sample", str(arguments.literal_sample)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"{method} {size}: {measured}", file=sys.stderr)
    return measured


def _work(arguments: argparse.Namespace) -> dict[str, Any]:
    corpus = load_corpus(arguments.corpus, arguments.passages, arguments.cache)
    outcoming, incoming = grow(corpus, arguments.size)
    del corpus
    before = _reset_peak()
    started = time.perf_counter()
    if arguments.worker == "growth":
        return _grown(outcoming, incoming, arguments.size, before)
    seconds = None
    if arguments.worker == "literal":
        best, seconds = literal(outcoming, incoming, arguments.literal_sample)
    else:
        best = (hopyard if arguments.worker == "hopyard" else dense)(outcoming, incoming)
    measured = {
        "seconds": seconds or time.perf_counter() - started,
        "peak_mb": _peak() - before,
    }
    np.save(arguments.cache / f"best-{arguments.worker}.npy", best)
    return measured


def _grown(
    outcoming: Questions, incoming: Questions, passages: int, before: float
) -> dict[str, Any]:
    started = time.perf_counter()
    matches = best_matches(outcoming, incoming)
    edges = build_edges(outcoming, incoming, matches, vertices=passages)
    seconds, peak = time.perf_counter() - started, _peak() - before
    drawn = np.random.default_rng(0).permutation(len(outcoming))[:1000]
    exact = best_matches(outcoming.take(drawn), incoming, exact_pairs=len(drawn) * len(incoming))
    loss = exact.similarity - matches.similarity[drawn]
    return {
        "passages": passages,
        "seconds": seconds,
        "peak_mb": peak,
        "edges": len(edges),
        "approximate": matches.approximate / len(outcoming),
        "agreement": float(np.mean(loss == 0)),
        "mean_loss": float(loss.mean()),
    }


def _compare(arguments: argparse.Namespace) -> dict[str, dict[str, int]]:
    """How many matches of ours are those of the other methods, and of the edges."""
    corpus = load_corpus(arguments.corpus, arguments.passages, arguments.cache)
    outcoming, incoming = grow(corpus, arguments.passages)
    found = {
        method: np.load(arguments.cache / f"best-{method}.npy", allow_pickle=False)
        for method in _METHODS
    }
    compared = {}
    for method in ("dense", "literal"):
        theirs = found[method]
        ours = found["hopyard"][: len(theirs)]
        differing = np.flatnonzero(ours != theirs)
        gaps = [
            abs(_score(outcoming, incoming, row, ours) - _score(outcoming, incoming, row, theirs))
            for row in differing.tolist()
        ]
        compared[method] = {
            "questions": len(theirs),
            "same": len(theirs) - len(differing),
            "tied": sum(gap <= _ROUNDING for gap in gaps),
            "different": sum(gap > _ROUNDING for gap in gaps),
            "edges": len(_edges(outcoming, incoming, ours)),
            "edges_in_common": len(
                _edges(outcoming, incoming, ours) & _edges(outcoming, incoming, theirs)
            ),
        }
    return compared


def _score(outcoming: Questions, incoming: Questions, row: int, best: NDArray[np.int64]) -> float:
    column = int(best[row])
    return similarity(
        outcoming.keywords[row],
        incoming.keywords[column],
        outcoming.vectors[row],
        incoming.vectors[column],
    )


def _edges(
    outcoming: Questions, incoming: Questions, best: NDArray[np.int64]
) -> set[tuple[int, int]]:
    """The tail and the in-coming question of each edge."""
    rows = np.arange(len(best))
    scores = [_score(outcoming, incoming, row, best) for row in rows.tolist()]
    matches = Matches(best, np.array(scores), approximate=0)
    vertices = int(outcoming.owners.max()) + 1
    edges = build_edges(outcoming.take(rows), incoming, matches, vertices=vertices)
    return set(zip(edges.tail.tolist(), edges.incoming.tolist(), strict=True))


def _reset_peak() -> float:
    """Forget the peak so far; return what is resident now, in MB."""
    gc.collect()
    # Memory freed while loading but kept by the allocator would hide what the method takes.
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return _peak()


def _peak() -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    match = re.search(r"VmHWM:\s+(\d+) kB", status)
    if match is None:
        raise RuntimeError("/proc/self/status has no VmHWM; run this benchmark on Linux.")
    return int(match.group(1)) / 1024


def _slope(growth: list[dict[str, Any]]) -> float:
    """The exponent of time in the number of passages: least squares on log-log axes."""
    if len(growth) < 2:
        return float("nan")
    sizes = np.log([point["passages"] for point in growth])
    return float(np.polyfit(sizes, np.log([point["seconds"] for point in growth]), 1)[0])


if __name__ == "__main__":
    main()
