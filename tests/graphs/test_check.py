"""An answer that is Unknown or unsupported is handed to a stronger strategy."""

from __future__ import annotations

from typing import Any

import pytest
from approvals import edit
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from hopyard.graphs import router
from hopyard.nodes.check import why_insufficient
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES

from .conftest import changed
from .script import Said, Script, said

QUESTION = "How long is the river that the Iron Bridge crosses?"
CONFIG: Any = {"configurable": {"thread_id": "t"}}


def step(kind: str, **values: Any) -> Said:
    return {"kind": kind, **values}


@pytest.fixture
def script(script: Script) -> Script:
    script.lines = {
        ("route", QUESTION): {"strategy": "single"},
        ("read", QUESTION): said("Unknown"),
        ("step", QUESTION): step("answer", answer="354 kilometres"),
    }
    return script


@pytest.fixture
def routed(context: Context) -> Context:
    """The route is the model's."""
    return changed(context, check="on", route="model", profile="capable")


async def ask(context: Context) -> dict[str, Any]:
    agent = router.build().compile(checkpointer=InMemorySaver())
    result: dict[str, Any] = await agent.ainvoke({"question": QUESTION}, CONFIG, context=context)
    return result


async def test_unknown_is_handed_to_the_chain(routed: Context, script: Script) -> None:
    result = await ask(routed)
    assert result["answer"] == "354 kilometres"
    assert result["strategy"] == "chain"
    assert result["route"]["strategy"] == "single"
    handed = [step for step in result["steps"] if step["kind"] == "check"]
    assert [(step["title"], step["reason"]) for step in handed] == [
        ("Pass to chain", "the answer is Unknown")
    ]
    assert result["usage"]["model_calls"] == len(script.asked) == 3


async def test_what_was_unconfirmed_is_not_said_of_the_next_answer(
    routed: Context, script: Script
) -> None:
    agent = router.build().compile()
    parts = agent.astream({"question": QUESTION}, context=routed, stream_mode="updates")
    [first, second] = [part["check"] async for part in parts if "check" in part]
    assert (first["stronger"], first["unconfirmed"]) == ("chain", "")
    assert second == {"stronger": ""}


async def test_an_unsupported_answer_comes_back_where_the_chain_finds_none(
    routed: Context, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hopyard.nodes import check

    def doubt(state: Any) -> str:
        return "no citation supports the answer" if state["strategy"] == "single" else ""

    monkeypatch.setattr(check, "why_insufficient", doubt)
    script.lines["read", QUESTION] = said("354 kilometres")
    script.lines["step", QUESTION] = step("not_found")
    result = await ask(routed)
    assert (result["answer"], result["strategy"]) == ("354 kilometres", "single")
    assert [step["title"] for step in result["steps"] if step["kind"] == "check"] == [
        "Pass to chain",
        "Back to the answer of single",
    ]


async def test_the_built_in_model_hands_over_to_the_papers_forms(
    routed: Context, script: Script
) -> None:
    result = await ask(changed(routed, route="auto", profile="builtin"))
    titles = [step["title"] for step in result["steps"] if step["kind"] == "check"]
    assert titles == ["Pass to cor", "Pass to tree"]
    assert result["answer"] == "Unknown"


async def test_a_setting_turns_it_off(routed: Context, script: Script) -> None:
    result = await ask(changed(routed, check="off"))
    assert (result["answer"], result["strategy"]) == ("Unknown", "single")


async def test_by_default_the_built_in_model_hands_nothing_over(
    routed: Context, script: Script
) -> None:
    result = await ask(changed(routed, check="auto", route="auto", profile="builtin"))
    assert result["strategy"] == "single"


@pytest.fixture
def defaulted(context: Context, script: Script) -> Context:
    """A capable model, whose default is the chain, which finds nothing; the plan answers."""
    script.lines = {
        ("step", QUESTION): step("not_found"),
        ("plan", QUESTION): {"thought": "", "kind": "simple"},
        ("close", QUESTION): {"thought": "", "answer": "354 kilometres"},
    }
    return changed(context, profile="capable")


async def test_a_default_that_finds_nothing_is_the_end(defaulted: Context, script: Script) -> None:
    result = await ask(defaulted)
    assert (result["answer"], result["strategy"]) == ("Unknown", "chain")
    assert script.counts == {"step": 2, "again": 1}


async def test_after_the_default_the_plan_tries_if_that_is_asked_for(
    defaulted: Context, script: Script
) -> None:
    result = await ask(changed(defaulted, check="on"))
    assert (result["answer"], result["strategy"]) == ("354 kilometres", "plan")
    assert result["route"]["strategy"] == "chain"
    assert script.counts == {"step": 2, "again": 1, "plan": 1, "close": 1}
    assert result["usage"]["model_calls"] == 5


async def test_the_plan_spends_what_the_chain_left(defaulted: Context, script: Script) -> None:
    result = await ask(changed(defaulted, check="on", budget__calls=2))
    assert (result["answer"], result["truncated"]) == ("354 kilometres", True)
    assert result["usage"]["model_calls"] == 2


async def test_a_forced_strategy_has_the_last_word(routed: Context, script: Script) -> None:
    result = await ask(changed(routed, strategy="single"))
    assert (result["answer"], result["strategy"]) == ("Unknown", "single")


async def test_a_strategy_that_a_person_chose_has_the_last_word(
    routed: Context, script: Script
) -> None:
    script.lines["route", QUESTION] = {"strategy": "plan"}
    agent = router.build().compile(checkpointer=InMemorySaver())
    asking = changed(routed, approve=["route"])
    await agent.ainvoke({"question": QUESTION}, CONFIG, context=asking)
    answer: Any = Command(resume=edit("route", strategy="single"))
    result = await agent.ainvoke(answer, CONFIG, context=asking)
    assert (result["answer"], result["strategy"]) == ("Unknown", "single")


async def test_a_run_that_the_budget_ended_is_not_handed_over(
    routed: Context, script: Script
) -> None:
    script.lines["read", QUESTION] = [said("Unknown")]
    result = await ask(changed(routed, budget__calls=1))
    assert result["strategy"] == "single"
    assert result["truncated"] is True


async def test_an_answer_that_suffices_stays(routed: Context, script: Script) -> None:
    script.lines["read", QUESTION] = said("354 kilometres")
    result = await ask(routed)
    assert (result["answer"], result["strategy"]) == ("354 kilometres", "single")
    assert not [step for step in result["steps"] if step["kind"] == "check"]


def test_every_stronger_strategy_is_registered() -> None:
    for strategy in STRATEGIES.parts():
        assert set(strategy.stronger) <= set(STRATEGIES)
        assert strategy.name not in strategy.stronger


@pytest.mark.parametrize(
    ("answer", "supported", "reason"),
    [
        ("Unknown.", [], "the answer is Unknown"),
        ("…", [], "the answer is Unknown"),
        ("1781", [], ""),
        ("1781", [True, False], ""),
        ("1781", [False, False], "no citation supports the answer"),
    ],
)
def test_what_an_answer_lacks(answer: str, supported: list[bool], reason: str) -> None:
    state: Any = {"answer": answer, "citations": [{"supported": value} for value in supported]}
    assert why_insufficient(state) == reason
