"""`global`: points are mapped and reduced, the route, failures and budget."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from hopyard.graphs import router
from hopyard.graphs.global_search import graph
from hopyard.nodes.resources import Resources, config_with
from hopyard.nodes.run import Run
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES
from hopyard.testing import ScriptedChat
from hopyard.testing.models import GARBAGE, WordEmbedder

from .scripted import QUESTION, answer, asked_for, step_of, turns


async def test_points_with_a_score_of_zero_are_dropped(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask()
    [turn] = turns(chat, "Reduced")
    scores = [int(score) for score in re.findall(r"^- \((\d+)\)", turn, re.MULTILINE)]
    assert scores[:2] == [90, 80]
    assert scores == sorted(scores, reverse=True)
    assert "Bavaria" not in turn
    given = len(scores)
    assert step_of(output, "map-1")["facts"] == {"points": str(given), "dropped": "1"}
    assert step_of(output, "map-1")["score"] == 0.9
    assert step_of(output, "reduce")["facts"] == {"points": str(given), "sentences read": "95 %"}


async def test_without_a_helpful_point_the_answer_is_unknown_and_costs_no_call(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    chat.answers = lambda name, messages: (
        {"points": []} if name == "Points" else answer(name, messages)
    )
    output = await ask()
    assert output["answer"] == "Unknown"
    assert output["citations"] == output["evidence"] == []
    assert not output["truncated"]
    assert "Reduced" not in asked_for(chat)


async def test_a_small_window_makes_more_map_calls_and_fewer_points(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask(window=1)
    assert asked_for(chat) == {"CommunityReport": 3, "Points": 4, "Reduced": 1}
    read = [re.findall(r"^Report: (.{8})", turn, re.MULTILINE) for turn in turns(chat, "Points")]
    assert [len(reports) for reports in read] == [1, 1, 1, 1]
    [turn] = turns(chat, "Reduced")
    assert re.findall(r"^- \((\d+)\)", turn, re.MULTILINE) == ["90"]
    assert step_of(output, "reduce")["facts"]["beyond the window"]
    [evidence] = output["evidence"]
    assert evidence == {
        "kind": "report",
        "id": "0-0",
        "score": 90.0,
        "passages": ["iron-bridge"],
    }
    [citation] = output["citations"]
    assert citation["passage_id"] == "iron-bridge"
    assert citation["quote"] == "The Iron Bridge was opened in 1781."
    assert citation["supported"]


class PatientChat(ScriptedChat):
    """Each call waits until all of its kind are there: one by one would end in a timeout."""

    gates: dict[str, asyncio.Barrier]

    def with_structured_output(self, schema: Any, **_: Any) -> Any:
        inner = super().with_structured_output(schema)
        gate = self.gates.get(schema["title"])

        async def wait_and_answer(messages: Any) -> Any:
            if gate is not None:
                await asyncio.wait_for(gate.wait(), timeout=60)
            return await inner.ainvoke(messages)

        return RunnableLambda(wait_and_answer)


async def test_an_estimate_has_the_calls_of_a_question_at_most(
    ask: Callable[..., Any], index: Path, resources: Resources
) -> None:
    context = Context.model_validate(
        {"index": str(index), "model": "scripted", "embedding": WordEmbedder.name}
    )
    estimated = await STRATEGIES["global"].estimate_calls(Run("", context, resources))
    output = await ask(graph=graph)
    # A report on the garden (here it needs no call), the excerpts, the passages, and the answer
    # (no call here, because no point helps).
    assert (estimated, output["usage"]["model_calls"]) == (4, 2)
    # As published: the reports, among them those on communities that are read as they are above.
    estimated = await STRATEGIES["graphrag"].estimate_calls(Run("", context, resources))
    output = await ask(level=0)
    assert (estimated, output["usage"]["model_calls"]) == (6, 5)


async def test_reports_and_map_calls_run_side_by_side(ask: Callable[..., Any]) -> None:
    chat = PatientChat(answer)
    chat.gates = {"CommunityReport": asyncio.Barrier(3), "Points": asyncio.Barrier(4)}
    chat.register()
    assert "1781" in (await ask(window=1))["answer"]
    assert asked_for(chat) == {"CommunityReport": 3, "Points": 4, "Reduced": 1}


async def test_the_next_question_does_not_pay_for_the_same_reports(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    await ask()
    chat.requests.clear()
    await ask("What else?")
    assert asked_for(chat) == {"Points": 1, "Reduced": 1}


async def test_a_filter_leaves_only_what_its_passages_say(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask(others={"where": ["title=Stone Bridge"]})
    assert asked_for(chat)["CommunityReport"] == 1
    [turn] = turns(chat, "Points")
    assert "A summary." not in turn
    cited = {citation["passage_id"] for citation in output["citations"]}
    assert cited == {"stone-bridge"}
    assert {name for unit in output["evidence"] for name in unit["passages"]} == {"stone-bridge"}


@pytest.mark.parametrize("usable", [True, False])
async def test_auto_lets_a_capable_model_choose_between_chain_and_global(
    index: Path, chat: ScriptedChat, resources: Resources, usable: bool
) -> None:
    def choose(name: str, messages: list[dict[str, Any]]) -> Any:
        if name == "ChainStep":
            return {"kind": "not_found"}
        if name == "Answer":
            return {"answer": "Unknown"}
        if name != "Route":
            return answer(name, messages)
        offered = re.findall(r"^(\w[\w-]*): ", str(messages[0]["content"]), re.MULTILINE)
        assert offered == ["chain", "global"]
        return {"strategy": "global", "confidence": 0.9} if usable else GARBAGE

    chat.answers = choose
    base = {"model": "scripted", "embedding": WordEmbedder.name}
    context = Context.model_validate(base | {"index": str(index), "profile": "capable"})
    output = await router.graph.ainvoke(
        {"question": QUESTION}, config_with(resources), context=context
    )
    assert asked_for(chat)["Route"] == 1
    route = output["route"]
    assert (route["strategy"], route["by"]) == (
        ("global", "model") if usable else ("chain", "fallback")
    )


async def test_a_model_is_offered_what_has_a_description_for_the_route(
    index: Path, chat: ScriptedChat, resources: Resources
) -> None:
    offered: list[str] = []

    def choose(name: str, messages: list[dict[str, Any]]) -> Any:
        if name == "Route":
            offered.extend(re.findall(r"^([\w-]+): ", str(messages[0]["content"]), re.MULTILINE))
            return {"strategy": "global", "confidence": 0.9}
        if name == "Answer":
            return {"answer": "Unknown"}
        return {"kind": "not_found"} if name == "ChainStep" else answer(name, messages)

    chat.answers = choose
    base = {"model": "scripted", "embedding": WordEmbedder.name, "route": "model"}
    context = Context.model_validate(base | {"index": str(index), "profile": "capable"})
    await router.graph.ainvoke({"question": QUESTION}, config_with(resources), context=context)
    assert {"single", "chain", "global", "local"} <= {*offered}
    assert "graphrag" not in offered


async def test_sentences_stand_in_for_a_report_that_cannot_be_written(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    def without_the_severn(name: str, messages: list[dict[str, Any]]) -> Any:
        lost = name == "CommunityReport" and "Great Britain" in str(messages[-1]["content"])
        return GARBAGE if lost else answer(name, messages)

    chat.answers = without_the_severn
    output = await ask()
    assert step_of(output, "report-0-2")["verdict"] == "failed"
    assert "read 4 reports" in step_of(output, "map-1")["title"]
    [turn] = turns(chat, "Points")
    assert turn.count("(lines of the documents)") == 1
    assert "1781" in output["answer"]


async def test_without_a_closing_call_the_points_are_the_answer(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    chat.answers = lambda name, messages: GARBAGE if name == "Reduced" else answer(name, messages)
    output = await ask()
    first, second, *_ = output["answer"].splitlines()
    assert first.startswith("- ")
    assert first.endswith("1781. [1]")
    assert second.endswith("1146. [2]")
    assert [citation["passage_id"] for citation in output["citations"][:2]] == [
        "iron-bridge",
        "stone-bridge",
    ]
    assert step_of(output, "reduce")["verdict"] == "fallback"


async def test_a_budget_leaves_calls_for_map_and_reduce(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    output = await ask(others={"budget": {"calls": 4}})
    # Three quarters are three calls, and the last of a budget is kept: two reports.
    assert asked_for(chat) == {"CommunityReport": 2, "Points": 1, "Reduced": 1}
    assert output["truncated"]
    assert output["answer"] != "Unknown"


async def test_a_budget_without_a_map_call_answers_from_one_search(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    chat.answers = {"Answer": {"thought": "", "answer": "1781", "passages": [1]}}
    output = await ask("When was the Iron Bridge opened?", others={"budget": {"calls": 1}})
    assert asked_for(chat) == {"Answer": 1}
    assert output["answer"] == "1781"
    assert output["truncated"]
    assert output["citations"]
    assert step_of(output, "reduce")["verdict"] == "fallback"


async def test_the_answer_has_headings_unless_a_short_one_is_asked_for(
    ask: Callable[..., Any], chat: ScriptedChat
) -> None:
    await ask()
    await ask(others={"answer": {"style": "short"}})
    long, short = turns(chat, "Reduced")
    assert "heading (##)" in long
    assert "paragraphs" in long
    assert "as few words as possible" in short
    assert "heading" not in short
