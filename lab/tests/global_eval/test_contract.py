"""`map-reduce` keeps the contract of strategies."""

from __future__ import annotations

from typing import ClassVar

from hopyard.testing import StrategyContract
from lab.global_eval.map_reduce import STRATEGY
from tests.contracts.outputs import map_passages


class TestMapReduce(StrategyContract):
    strategy = STRATEGY
    question = "What do the documents tell about bridges?"
    answers: ClassVar = map_passages
    answer = "The Iron Bridge was opened in 1781 [1]."
    calls = 2
    searches = ("dense",)  # it searches only if the budget leaves no call to map
