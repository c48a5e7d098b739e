"""Clusters of a layer: tiny layers, soft clusters by UMAP and mixtures, and long clusters."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

from hopyard.indexes.kinds.summary_tree.clustering import clusters_of, divide, grown

ANGLES = np.linspace(0, 1, 8)
FAN = np.stack([np.cos(ANGLES), np.sin(ANGLES)], axis=1).astype(np.float32)
"""Unit vectors from one side to the other."""

GROUPS = """
import numpy as np
from hopyard.indexes.kinds.summary_tree.clustering import clusters_of

rng = np.random.default_rng(1)
groups = np.repeat(rng.normal(size=(3, 16)), 6, axis=0) + 0.2 * rng.normal(size=(18, 16))
vectors = (groups / np.linalg.norm(groups, axis=1, keepdims=True)).astype(np.float32)
print([rows.tolist() for rows in clusters_of(vectors, [100] * 18)])
"""


def test_a_tiny_layer_is_one_cluster() -> None:
    for count in (1, 2, 8):
        assert [rows.tolist() for rows in clusters_of(FAN[:count], [9] * count)] == [
            [*range(count)]
        ]


def test_a_long_cluster_is_divided_where_it_is_widest() -> None:
    order = np.array([0, 7, 1, 6, 2, 5, 3, 4])
    parts = divide(np.arange(8), FAN[order], [100] * 8, 400)
    assert sorted(sorted(order[part].tolist()) for part in parts) == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [len(part) for part in divide(np.arange(8), FAN, [900] * 8, 100)] == [2] * 4


def test_umap_and_mixtures_find_groups_and_always_the_same() -> None:
    # numba compiles UMAP for 10 seconds; without it, 18 points take less.
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-W", "error", "-c", GROUPS]
    ran = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    groups = [[*range(start, start + 6)] for start in (0, 6, 12)]
    assert ran.stdout.strip() == str(groups)


def test_a_new_node_joins_the_nearest_cluster_and_an_empty_cluster_goes() -> None:
    clusters = [("a", "b"), ("b", "c"), ("gone",)]
    became = {"a": [0], "b": [1], "c": [7]}
    parts, places = grown(clusters, became, FAN, [1] * 8, 100)
    # The middles of (0, 1) and (1, 7) are at the angles 1/14 and 8/14: 2 is nearer to the first.
    assert [rows.tolist() for rows in parts] == [[0, 1, 2], [1, 3, 4, 5, 6, 7]]
    assert places == [[0], [1], []]


def test_clusters_that_become_alike_are_one() -> None:
    clusters = [("a", "b"), ("a", "b", "gone"), ("b",)]
    parts, places = grown(clusters, {"a": [0], "b": [1]}, FAN[:2], [1] * 2, 100)
    assert [rows.tolist() for rows in parts] == [[0, 1], [1]]
    assert places == [[0], [0], [1]]
