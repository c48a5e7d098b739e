"""Edge building of the passage graph, against every pair scored one by one.

    python benchmarks/passage_graph.py                  # some minutes
    python benchmarks/passage_graph.py --passages 500   # a quick look

The best matches of all template questions of the 2WikiMultiHopQA passages, found by `hopyard`
(ours) and by `literal` (the definition as it reads, every pair scored as in the authors' program).
Same matches, seconds of the processor, and peak memory beyond the questions themselves.

Each measurement is a process of its own, so that no method inherits another's memory. Linux only:
peak memory is read from /proc.
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
from passage_graph_data import load_questions
from passage_graph_methods import hopyard, literal

from hopyard.indexes.kinds.passage_graph.edges import Matches, build_edges
from hopyard.indexes.kinds.passage_graph.questions import Questions
from hopyard.indexes.kinds.passage_graph.similarity import similarity

_METHODS: Final = ("hopyard", "literal")
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
    load_questions(arguments.corpus, arguments.passages, arguments.cache)
    compared = {method: _measure(arguments, method) for method in _METHODS}
    result = {
        "passages": arguments.passages,
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "literal_sample": arguments.literal_sample,
        "methods": compared,
        "same": _compare(arguments),
    }
    text = json.dumps(result, indent=2)
    arguments.out.write_text(text + "\n", encoding="utf-8")
    print(text)


def _arguments() -> argparse.Namespace:
    here = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    shared = here.parent / "shared" / "data" / "2wikimultihopqa" / "corpus.jsonl"
    parser.add_argument("--corpus", type=Path, default=shared, help="corpus.jsonl to ask about")
    parser.add_argument("--passages", type=int, default=6119, help="passages of the comparison")
    parser.add_argument(
        "--literal-sample",
        type=int,
        help="score every pair of this many out-coming questions only, and scale the time up",
    )
    cache = Path(tempfile.gettempdir()) / "hopyard-benchmarks"
    parser.add_argument("--cache", type=Path, default=cache, help="where embeddings are kept")
    results = here / "benchmarks" / "results" / "passage_graph.json"
    parser.add_argument("--out", type=Path, default=results, help="where the numbers go")
    parser.add_argument("--worker", choices=_METHODS, help=argparse.SUPPRESS)
    return parser.parse_args()


def _measure(arguments: argparse.Namespace, method: str) -> dict[str, Any]:
    """One measurement in a process of its own."""
    command = [sys.executable, __file__, "--worker", method]
    for name in ("corpus", "passages", "cache"):
        command += [f"--{name}", str(getattr(arguments, name))]
    if arguments.literal_sample is not None:
        command += ["--literal-sample", str(arguments.literal_sample)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"{method}: {measured}", file=sys.stderr)
    return measured


def _work(arguments: argparse.Namespace) -> dict[str, Any]:
    outcoming, incoming = load_questions(arguments.corpus, arguments.passages, arguments.cache)
    before = _reset_peak()
    started = time.process_time()
    seconds = None
    if arguments.worker == "literal":
        best, seconds = literal(outcoming, incoming, arguments.literal_sample)
    else:
        best = hopyard(outcoming, incoming)
    measured = {
        "seconds": seconds or time.process_time() - started,
        "peak_mb": _peak() - before,
    }
    np.save(arguments.cache / f"best-{arguments.worker}.npy", best)
    return measured


def _compare(arguments: argparse.Namespace) -> dict[str, dict[str, int]]:
    """How many matches of ours are those of the other methods, and of the edges."""
    outcoming, incoming = load_questions(arguments.corpus, arguments.passages, arguments.cache)
    found = {
        method: np.load(arguments.cache / f"best-{method}.npy", allow_pickle=False)
        for method in _METHODS
    }
    compared = {}
    for method in ("literal",):
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
    scores = [_score(outcoming, incoming, row, best) for row in range(len(best))]
    matches = Matches(best, np.array(scores))
    vertices = int(outcoming.owners.max()) + 1
    edges = build_edges(outcoming, incoming, matches, vertices=vertices)
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


if __name__ == "__main__":
    main()
