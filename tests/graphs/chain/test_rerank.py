"""The search method `rerank` under a strategy: what is read, what is told, and what is spent."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest

from hopyard.graphs import cor, plan, single, tree
from hopyard.indexes.search import SEARCHES, Search, SearchMethod
from hopyard.models.cross_encoder import PairScorer
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES
from hopyard.testing import ScriptedChat, StrategyContract

from ...contracts.outputs import judge_passages, last_turn
from ..conftest import changed
from ..script import GARBAGE
from .script import BaselineScript

QUESTION = "When was the Iron Bridge opened?"


@pytest.fixture
def context(context: Context) -> Context:
    return changed(context, retrieval__method="rerank")


def judge_or_answer(name: str, messages: list[dict[str, Any]]) -> dict[str, Any]:
    if name == "PassageJudgements":
        return dict(judge_passages(last_turn(messages)))
    return {"answer": "1781"}


@pytest.fixture
def attempts() -> None:
    """The contract is about retries too."""


class TestSingleWithRerank(StrategyContract):
    strategy = STRATEGIES["single"]
    question = QUESTION
    answers: ClassVar[Any] = judge_or_answer
    answer = "1781"
    calls = 2
    searches = ("rerank",)
    kinds = ("dense",)
    settings: ClassVar = {"retrieval": {"method": "rerank", "k": 2}, "rerank": {"model": "chat"}}

    @pytest.fixture
    def context(self, index: Path, chat: ScriptedChat) -> Context:
        return self.make_context(index)


async def run(context: Context, **settings: Any) -> dict[str, Any]:
    return await single.graph.ainvoke({"question": QUESTION}, context=changed(context, **settings))


async def test_the_best_are_read_and_the_judgement_is_the_score(
    context: Context, script: BaselineScript
) -> None:
    script.useful = {"Abraham Darby": "necessary", "Stone Bridge": "indirect"}
    output = await run(context)
    kept = [(unit["id"], unit["score"]) for unit in output["evidence"]]
    assert kept == [("abraham-darby", 1.0), ("stone-bridge", 0.5)]
    assert script.turn("read", QUESTION).splitlines()[1].startswith("[1] Abraham Darby: ")


@pytest.mark.parametrize(("profile", "longest"), [("builtin", 320), ("capable", 1800)])
async def test_a_capable_model_is_shown_whole_snippets(
    context: Context, script: BaselineScript, profile: str, longest: int
) -> None:
    await run(context, profile=profile, retrieval__k=4)
    turn = script.turn("rerank", QUESTION)
    [garden] = [line for line in turn.splitlines() if "] Garden: " in line]
    shown = garden.partition("] Garden: ")[2]
    assert longest - 10 < len(shown) <= longest
    assert len([line for line in turn.splitlines() if line.startswith("[")]) == 8


async def test_a_search_for_many_judges_ten_more_at_most(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    async def find(search: Search) -> list[Any]:
        asked.append(search.k)
        return []

    SEARCHES.register(SearchMethod("counted", "Finds nothing.", find))
    monkeypatch.setattr("hopyard.indexes.searches.rerank._BASE", "counted")
    nothing: Any = None
    index: Any = SimpleNamespace(asked=lambda text: [])
    never: Any = find  # no call is made where nothing is found
    try:
        for k in (5, 30):
            settings = changed(context, rerank__model="chat")
            search = Search("?", k, index, settings, nothing, call=never)
            assert await SEARCHES["rerank"].find(search) == []
    finally:
        SEARCHES.unregister("counted")
    assert asked == [10, 40]


async def test_a_failed_judgement_keeps_the_order_of_the_search_and_says_so(
    context: Context, script: BaselineScript
) -> None:
    dense = await run(context, retrieval__method="dense")
    script.lines = {("rerank", QUESTION): GARBAGE}
    output = await run(context)
    assert output["evidence"] == dense["evidence"]
    search, _ = output["steps"]
    assert search["verdict"] == "fallback"
    assert "no usable output" in search["reason"]
    assert output["truncated"] is False


async def test_the_chat_model_stands_in_for_a_cross_encoder_and_the_step_says_so(
    context: Context, script: BaselineScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        PairScorer, "_load", lambda scorer: setattr(scorer, "_problem", "It is gone")
    )
    output = await run(context, rerank__model="mine")
    assert ("rerank", QUESTION) in script.asked
    assert "It is gone" in output["steps"][0]["reason"]


async def test_a_cross_encoder_is_loaded_once_and_takes_no_model_call(
    context: Context, script: BaselineScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []

    class LongestFirst:
        def predict(self, pairs: list[tuple[str, str]], **_: Any) -> list[float]:
            return [float(len(text)) for _, text in pairs]

    def load(scorer: PairScorer) -> None:
        loaded.append(scorer._name)
        scorer._model = LongestFirst()  # type: ignore[assignment]

    monkeypatch.setattr(PairScorer, "_load", load)
    for _ in range(2):
        output = await run(context, rerank__model="mine")
    assert loaded == ["mine"]
    assert script.asked == [("read", QUESTION)]
    scores = [unit["score"] for unit in output["evidence"]]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 1


@pytest.mark.parametrize("graph", [cor.graph, plan.graph, tree.graph])
async def test_every_strategy_says_that_its_search_ran_out_of_budget(
    context: Context, script: BaselineScript, graph: Any
) -> None:
    """The first call splits or asks, the second reranks; the last place is the answer's."""
    output = await graph.ainvoke({"question": QUESTION}, context=changed(context, budget__calls=2))
    assert [kind for kind, _ in script.asked][1:] in (["read"], ["close"])
    assert output["truncated"] is True
    assert any("budget" in step.get("reason", "") for step in output["steps"])
