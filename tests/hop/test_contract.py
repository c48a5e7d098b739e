"""`hop` keeps what every strategy owes, whoever reasons."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from hopyard.graphs import hop
from hopyard.state.settings import Context

from ..graphs.conftest import changed
from ..graphs.script import said
from ..graphs.strategy_contract import StrategyContract
from .script import HopScript

QUESTION = "When was coke first used where the ribs of the Iron Bridge were cast?"


class TestHop(StrategyContract):
    graph = hop.graph
    question = QUESTION
    lines: ClassVar[Any] = {("read", QUESTION): said("1709")}
    answer = "1709"
    calls = 3  # the heads of two edges choose, one reaches a passage without an edge; the answer

    @pytest.fixture
    def context(self, context: Context) -> Context:
        return changed(context, hop__top_k=2)

    @pytest.fixture(autouse=True)
    def _useful(self, script: HopScript) -> None:
        script.useful = {"What was first used in Coalbrookdale?": "necessary"}


class TestHopBySimilarity(StrategyContract):
    graph = hop.graph
    question = QUESTION
    lines: ClassVar[Any] = {("read", QUESTION): said("1709")}
    answer = "1709"
    calls = 1

    @pytest.fixture
    def context(self, context: Context) -> Context:
        return changed(context, hop__top_k=8, hop__reasoner="similarity")
