"""`direct`: one call, no document."""

from __future__ import annotations

from typing import ClassVar

from hopyard.graphs import direct
from hopyard.state.settings import Context

from .script import Script, said
from .strategy_contract import StrategyContract


class TestDirect(StrategyContract):
    graph = direct.graph
    question = "What is 12 plus 30?"
    lines: ClassVar = {("direct", question): said("42")}
    answer = "42"
    calls = 1
    retrieves = False

    async def test_it_shows_the_model_no_passage(self, context: Context, script: Script) -> None:
        output = await self.ask(context)
        assert script.turns == [self.question]
        assert output["citations"] == output["evidence"] == output["steps"] == []
