"""The summary tree and its searches keep Hopyard's contracts."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any, ClassVar

import pytest

from hopyard.indexes.kinds.summary_tree import KIND
from hopyard.indexes.search import SEARCHES
from hopyard.testing import IndexKindContract, SearchContract
from hopyard.testing.corpus import LEDGERS, RECIPES

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


class OfOneCluster(SearchContract):
    """The long index has as many passages as one cluster holds: UMAP takes seconds."""

    finds = FINDS

    @pytest.fixture(scope="class")
    @classmethod
    def long_index(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        directory = tmp_path_factory.mktemp("contract") / "long-index"
        few = type("Few", (cls,), {"documents": LEDGERS[:7]})
        return asyncio.run(few.build_index(directory, cls.search.needs, RECIPES))


class TestSummaries(OfOneCluster):
    search = SEARCHES["summaries"]


class TestSummaryWalk(OfOneCluster):
    search = SEARCHES["summary-walk"]
