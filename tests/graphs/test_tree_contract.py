"""`tree` keeps what every strategy owes."""

from __future__ import annotations

from typing import ClassVar

from hopyard.graphs import tree

from .script import said, split
from .strategy_contract import StrategyContract

QUESTION = "Which was built first, the Iron Bridge or the Stone Bridge?"
IRON = "When was the Iron Bridge opened?"
STONE = "When was the Stone Bridge completed?"


class TestTree(StrategyContract):
    graph = tree.graph
    question = QUESTION
    lines: ClassVar = {
        ("split", QUESTION): split(IRON, STONE),
        ("read", IRON): said("1781"),
        ("read", STONE): said("1146"),
        ("aggregate", QUESTION): said("Stone Bridge"),
    }
    answer = "Stone Bridge"
    calls = 8  # split, rubric, two readings, branch judge, two splits that find leaves, aggregate
