"""Milliseconds of one personalised PageRank, against other libraries and as the graph grows.

    python benchmarks/pagerank.py

The graphs are generated: passages and entities, about two mentions an entity, where the frequency
of an entity follows Zipf's law and the mentions of a passage sum to 1. The smaller graph is as
large as that of MuSiQue's sample. The reset is LinearRAG's: a small value at every passage, large
values at three entities. Each figure is the minimum of several runs in processor time. Nothing here
uses more than one thread. igraph is measured if it is installed: `pip install igraph`. Fails if a
query takes 20 ms or more on the smaller graph. Writes `benchmarks/results/pagerank.json`.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from time import process_time
from typing import Any, Final

import networkx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_array, coo_array, csc_array, csr_array, diags_array, eye_array, triu
from scipy.sparse.linalg import spsolve

from hopyard.indexes.searches.pagerank.walk import Walk

RESULTS: Final = Path(__file__).parent / "results" / "pagerank.json"
LIMIT_MS: Final = 20.0
PASSAGES: Final = 3_648
ENTITIES: Final = 20_000
GROWTH: Final = (10_000, 100_000, 1_000_000)
DAMPINGS: Final = (0.5, 0.85)

Query = Callable[[], Any]


def generate(passages: int, entities: int) -> csr_array:
    """Weights of a passage–entity graph: passages first, then entities, each at least once."""
    rng = np.random.default_rng(0)
    chances = 1 / np.arange(1, entities + 1)
    often = rng.choice(entities, size=entities, p=chances / chances.sum())
    mentions = np.concatenate((np.arange(entities), often))
    rows = rng.integers(passages, size=len(mentions))
    counts = csr_array(
        coo_array((np.ones(len(mentions)), (rows, mentions)), shape=(passages, entities))
    )
    shares = diags_array(1 / np.maximum(counts.sum(axis=1), 1)) @ counts
    graph = csr_array(block_array([[None, shares], [shares.T, None]]))
    graph.indices, graph.indptr = (part.astype(np.int32) for part in (graph.indices, graph.indptr))
    return graph


def make_reset(passages: int, nodes: int) -> NDArray[np.float64]:
    """0 to 0.05 at a passage, 0.9, 0.8 and 0.7 at a frequent, a less frequent and a rare entity."""
    reset = np.zeros(nodes)
    reset[:passages] = 0.05 * np.random.default_rng(1).random(passages)
    reset[[passages + 10, passages + 500, nodes - 1]] = 0.9, 0.8, 0.7
    return reset


def measure(run: Query, repeats: int) -> float:
    """The fewest milliseconds of several runs, in processor time."""
    used = []
    for _ in range(repeats):
        started = process_time()
        run()
        used.append(1000 * (process_time() - started))
    return round(min(used), 2)


def ways(
    graph: csr_array, reset: NDArray[np.float64], damping: float
) -> Iterator[tuple[str, Query, int]]:
    """The libraries: name, a query on the graph that each has built before, and repeats."""
    walk, nodes = Walk(graph), len(reset)
    yield "hopyard", lambda: walk.pagerank(reset, damping), 30
    if importlib.util.find_spec("igraph"):
        igraph = importlib.import_module("igraph")
        edges = coo_array(triu(graph))
        pairs = np.column_stack((edges.row, edges.col)).tolist()
        other = igraph.Graph(n=nodes, edges=pairs, edge_attrs={"weight": edges.data.tolist()})
        values = reset.tolist()
        yield (
            f"igraph {igraph.__version__}",
            lambda: other.personalized_pagerank(damping=damping, reset=values, weights="weight"),
            30,
        )
    slow = networkx.from_scipy_sparse_array(graph)
    chances = dict(enumerate(reset.tolist()))
    settings = {"alpha": damping, "tol": 1e-8 / nodes, "max_iter": 1000}
    yield (
        f"networkx {version('networkx')}",
        lambda: list(
            networkx.pagerank(slow, personalization=chances, dangling=chances, **settings).values()
        ),
        3,
    )
    yield f"scipy {version('scipy')} spsolve", lambda: solve(graph, reset, damping), 1


def solve(graph: csr_array, reset: NDArray[np.float64], damping: float) -> NDArray[np.float64]:
    """The exact ranks, by a sparse factorisation."""
    degrees = graph.sum(axis=1)
    inverse = np.divide(1, degrees, out=np.zeros_like(degrees), where=degrees > 0)
    system = eye_array(len(reset)) - damping * graph @ diags_array(inverse)
    solution = spsolve(csc_array(system), reset)
    ranks: NDArray[np.float64] = solution / solution.sum()
    return ranks


def compare(graph: csr_array, damping: float) -> dict[str, dict[str, float]]:
    """Time of a query and largest error of a node against `solve`, by library."""
    reset = make_reset(PASSAGES, graph.shape[0])
    exact = solve(graph, reset, damping)
    table = {}
    for name, run, repeats in ways(graph, reset, damping):
        error = float(np.abs(np.array(run()) - exact).max())
        table[name] = {"ms": measure(run, repeats), "error": float(f"{error:.1e}")}
        print(damping, name, table[name], flush=True)
    return table


def grow(nodes: int) -> dict[str, Any]:
    """Size of a graph, time to build the walk, and time of a query."""
    passages = nodes * PASSAGES // (PASSAGES + ENTITIES)
    graph = generate(passages, nodes - passages)
    walk, reset = Walk(graph), make_reset(passages, nodes)
    size = graph.data.nbytes + graph.indices.nbytes + graph.indptr.nbytes
    row = {
        "nodes": nodes,
        "edges": graph.nnz // 2,
        "graph_mb": round(size / 1e6, 1),
        "build_ms": measure(lambda: Walk(graph), 3),
    }
    for damping in DAMPINGS:
        row[f"ms_{damping}"] = measure(lambda d=damping: walk.pagerank(reset, d), 5)  # type: ignore[misc]
    print(row, flush=True)
    return row


def main() -> int:
    """Measure, and fail where a query takes too long."""
    graph = generate(PASSAGES, ENTITIES)
    compared = {str(damping): compare(graph, damping) for damping in DAMPINGS}
    result = {
        "command": "python benchmarks/pagerank.py",
        "unit": "milliseconds of processor time, minimum of several runs, one thread",
        "graph": {"passages": PASSAGES, "entities": ENTITIES, "edges": graph.nnz // 2},
        "libraries_by_damping": compared,
        "growth": [grow(nodes) for nodes in GROWTH],
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return int(max(table["hopyard"]["ms"] for table in compared.values()) >= LIMIT_MS)


if __name__ == "__main__":
    sys.exit(main())
