"""Seconds and memory to make the communities of entity graphs of up to a million edges.

    python benchmarks/communities.py

The graphs are generated as the rules would find them: each passage names five entities of one
topic and one of any topic, two in a sentence; how often an entity is named follows Zipf's law. Each
size runs in a process of its own, with one thread. `index_s` is everything between the entity graph
and the files of the kind: weights, clustering, titles, modularity. `graspologic_s` is the function
`hierarchical_leiden` of graspologic-native on the same weights, as the published tool calls it.
Fails if a million edges take five minutes or 4 GB. Writes `benchmarks/results/communities.json`.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, Final

import numpy as np

from hopyard.indexes.arrays.ragged import Ragged
from hopyard.indexes.kinds.communities.building import communities_of
from hopyard.indexes.kinds.communities.clustering import cluster, modularity
from hopyard.indexes.kinds.communities.index import CommunityIndex, save_reports
from hopyard.indexes.kinds.communities.pairs import pair_weights
from hopyard.indexes.kinds.communities.records import MadeWith
from hopyard.indexes.kinds.entity_graph.graph.files import (
    FACT,
    MENTION,
    SENTENCE,
    SYNONYM,
    EntityFiles,
)
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph

RESULTS: Final = Path(__file__).parent / "results" / "communities.json"
PASSAGES: Final = (1_200, 12_000, 118_000)
"""Some nine edges a passage, so about 10⁴, 10⁵ and 10⁶."""
TOPIC: Final = 50
"""Entities of a topic."""
MADE: Final = MadeWith(max_size=10, reports="on-demand")
LIMIT_S: Final = 300
LIMIT_MB: Final = 4_000


def generate(passages: int) -> EntityGraph:
    """An entity graph of as many entities as passages."""
    rng = np.random.default_rng(0)
    topics = max(passages // TOPIC, 2)
    chances = 1 / np.arange(1, TOPIC + 1)
    topic = np.repeat(rng.integers(topics, size=passages), 6)
    topic[5::6] = rng.integers(topics, size=passages)
    entity = topic * TOPIC + rng.choice(TOPIC, size=len(topic), p=chances / chances.sum())
    sentences = np.zeros(3 * passages, SENTENCE)
    sentences["passage"], sentences["place"] = np.divmod(np.arange(3 * passages), 3)
    mentions = np.zeros(len(entity), MENTION)
    mentions["entity"] = mentions["name"] = entity
    mentions["passage"] = np.arange(len(entity)) // 6
    mentions["sentence"] = np.arange(len(entity)) // 2
    names = Ragged.of_texts(f"name {row:08}" for row in range(topics * TOPIC))
    none = np.empty((0, 1), np.float32)
    return EntityGraph(
        EntityFiles(
            passages=[f"{row:08}" for row in range(passages)],
            names=names,
            name_entities=Ragged.of([[row] for row in range(len(names))], np.int32),
            labels=names,
            mentions=mentions,
            sentences=sentences,
            relations=Ragged.of_texts(()),
            facts=np.empty(0, FACT),
            synonyms=np.empty(0, SYNONYM),
            name_vectors=none,
            fact_vectors=none,
        )
    )


def measure(passages: int) -> dict[str, Any]:
    """Time and memory of each part, for one size."""
    graph, before = generate(passages), _peak_mb()
    started = process_time()
    files = communities_of(graph, MADE)
    with TemporaryDirectory() as folder:
        files.save(Path(folder))
        save_reports(Path(folder), {})
        index_s, peak = process_time() - started, _peak_mb()
        started = process_time()
        index = CommunityIndex.load(Path(folder))
        paths = [index.of_entity(entity) for entity in range(0, graph.entities, 100)]
        roots = index.at(0)
        read_s = process_time() - started
    started = process_time()
    weights = pair_weights(graph)
    pairs_s = process_time() - started
    started = process_time()
    cluster(weights, max_size=MADE.max_size)
    cluster_s = process_time() - started
    planted = modularity(weights, np.arange(graph.entities) // TOPIC)
    return {
        "passages": passages,
        "entities": graph.entities,
        "edges": weights.nnz // 2,
        "index_s": round(index_s, 2),
        "weights_s": round(pairs_s, 2),
        "cluster_s": round(cluster_s, 2),
        "read_s": round(read_s, 3),
        "graph_mb": round(before),
        "peak_mb": round(peak),
        "levels": index.levels,
        "communities": [len(files.hierarchy.at(level)) for level in range(index.levels)],
        "roots_of_two_or_more": sum(len(each.entities) > 1 for each in roots),
        "longest_path": max(map(len, paths)),
        "modularity": files.modularity.round(4).tolist(),
        "modularity_of_topics": round(planted, 4),
    }


def measure_library(passages: int) -> dict[str, Any]:
    """Time and memory of graspologic-native's own hierarchy, from a list of edges."""
    from graspologic_native import hierarchical_leiden

    weights = pair_weights(generate(passages)).tocoo()
    before, started = _peak_mb(), process_time()
    once = weights.row < weights.col
    ends = (weights.row[once].tolist(), weights.col[once].tolist(), weights.data[once].tolist())
    edges = [(str(each), str(other), weight) for each, other, weight in zip(*ends, strict=True)]
    found = hierarchical_leiden(edges, max_cluster_size=MADE.max_size, seed=0)
    seconds = process_time() - started
    roots = {each.cluster for each in found if each.level == 0}
    return {
        "graspologic_s": round(seconds, 2),
        "graspologic_peak_mb": round(_peak_mb()),
        "graspologic_before_mb": round(before),
        "graspologic_roots": len(roots),
    }


def _peak_mb() -> float:
    """The largest memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _apart(what: str, passages: int) -> dict[str, Any]:
    command = [sys.executable, __file__, what, str(passages)]
    told: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, capture_output=True).stdout
    )
    return told


def main() -> int:
    """Measure each size, and fail where the largest takes too long or too much."""
    if len(sys.argv) == 3:
        measured = {"ours": measure, "library": measure_library}[sys.argv[1]](int(sys.argv[2]))
        print(json.dumps(measured))
        return 0
    rows = []
    for passages in PASSAGES:
        rows.append(_apart("ours", passages) | _apart("library", passages))
        print(rows[-1], flush=True)
    last, first = rows[-1], rows[-2]
    exponent = math.log(last["index_s"] / first["index_s"]) / math.log(
        last["edges"] / first["edges"]
    )
    result = {
        "command": "python benchmarks/communities.py",
        "unit": "seconds of processor time, one run, one thread; memory is the peak of the process",
        "growth": rows,
        "exponent_of_edges": round(exponent, 2),
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return int(last["index_s"] >= LIMIT_S or last["peak_mb"] >= LIMIT_MB)


if __name__ == "__main__":
    sys.exit(main())
