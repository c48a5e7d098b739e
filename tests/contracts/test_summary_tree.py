"""The summary tree and its searches keep Hopyard's contracts."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from hopyard.indexes.kinds.summary_tree import KIND
from hopyard.indexes.search import SEARCHES
from hopyard.testing import IndexKindContract, SearchContract

from .outputs import last_turn
from .test_searches import FINDS


def summarise(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    """A sentence about the first line, and one about all."""
    assert name == "ClusterSummary"
    lines = re.findall(r"^\[(\d+)\] (.*)", last_turn(messages), re.MULTILINE)
    return {
        "sentences": [
            {"text": lines[0][1], "lines": [1]},
            {"text": f"{len(lines)} lines.", "lines": [int(number) for number, _ in lines]},
        ]
    }


class TestSummaryTree(IndexKindContract):
    kind = KIND
    exact_updates = False


class TestSummaryTreeOfTheModel(IndexKindContract):
    kind = KIND
    exact_updates = False
    answers: ClassVar = summarise
    settings: ClassVar = {"summary_tree": {"writer": "model"}, "profile": "builtin"}
    volatile = ("stats.json",)


class TestSummaries(SearchContract):
    search = SEARCHES["summaries"]
    finds = FINDS


class TestSummaryWalk(SearchContract):
    search = SEARCHES["summary-walk"]
    finds = FINDS
