"""A model that does not keep to a strategy's schemas answers with `single`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from hopyard.graphs import router
from hopyard.models.names import point_out
from hopyard.nodes.check import with_fallback
from hopyard.state.agent import AgentState
from hopyard.state.errors import CallFailedError, ModelOutputError
from hopyard.state.schemas import StrategyInput, StrategyOutput
from hopyard.state.settings.fields import Context

from .conftest import changed
from .script import GARBAGE, Script, said

QUESTION = "How long is the river that the Iron Bridge crosses?"
NEXT = "How long is the Danube?"
CONFIG: Any = {"configurable": {"thread_id": "t"}}


@pytest.fixture
def script(script: Script) -> Script:
    script.lines = {
        ("step", QUESTION): GARBAGE,
        ("read", QUESTION): said("354 kilometres"),
    }
    return script


@pytest.fixture
def routed(context: Context, retries: Callable[[int], None]) -> Context:
    retries(2)
    return changed(context, profile="capable")


async def test_single_answers_and_the_thread_remembers(
    routed: Context, script: Script, caplog: pytest.LogCaptureFixture
) -> None:
    point_out.cache_clear()
    agent = router.build().compile(checkpointer=InMemorySaver())
    with caplog.at_level(logging.WARNING):
        result = await agent.ainvoke({"question": QUESTION}, CONFIG, context=routed)
    assert (result["answer"], result["strategy"]) == ("354 kilometres", "single")
    assert [kind for kind, _ in script.asked] == ["step", "step", "step", "read"]
    [step] = [step for step in result["steps"] if step.get("title") == "Fall back to single"]
    assert step["reason"].endswith("did not fit the schemas of chain")
    [warning] = [each.message for each in caplog.records if "did not fit" in each.message]
    assert f"`hopyard doctor --model {routed.model}`" in warning
    script.asked.clear()
    with caplog.at_level(logging.WARNING):
        again = await agent.ainvoke({"question": NEXT}, CONFIG, context=routed)
    assert (again["strategy"], again["route"]["by"]) == ("single", "fallback")
    assert "step" not in [kind for kind, _ in script.asked]
    assert len([each for each in caplog.records if "did not fit" in each.message]) == 1


async def test_a_strategy_that_was_asked_for_stays(routed: Context, script: Script) -> None:
    forced = changed(routed, strategy="chain")
    try:
        result = await router.build().compile().ainvoke({"question": QUESTION}, context=forced)
    except ModelOutputError:
        pass
    else:
        assert result["strategy"] == "chain"
    assert "read" not in [kind for kind, _ in script.asked]


async def test_an_unknown_with_outputs_that_fit_falls_back_to_nothing(
    routed: Context, script: Script
) -> None:
    script.lines["step", QUESTION] = {"kind": "not_found"}
    result = await router.build().compile().ainvoke({"question": QUESTION}, context=routed)
    assert not [step for step in result["steps"] if step.get("title") == "Fall back to single"]


def agent_with(error: Exception) -> Any:
    """An agent whose only strategy ends with an error."""

    async def fail(state: StrategyInput) -> dict[str, Any]:
        raise error

    failing = StateGraph(StrategyInput, output_schema=StrategyOutput).add_node("fail", fail)
    graph = failing.add_edge(START, "fail").compile()
    agent = StateGraph(AgentState, context_schema=Context)
    return agent.add_node("chain", with_fallback("chain", graph)).add_edge(START, "chain").compile()


STATE: Any = {"question": QUESTION, "run": "r", "tried": [], "route": {"by": "default"}}


async def test_a_strategy_that_ends_with_an_output_that_does_not_fit_gives_unknown(
    context: Context,
) -> None:
    output = await agent_with(ModelOutputError("no output fits")).ainvoke(STATE, context=context)
    assert output["answer"] == "Unknown"
    [step] = output["steps"]
    assert (step["verdict"], step["reason"]) == ("failed", "no output fits")


@pytest.mark.parametrize(
    ("error", "changes"),
    [
        (CallFailedError("refused"), {}),
        (ModelOutputError("no output fits"), {"tried": ["single"]}),
        (ModelOutputError("no output fits"), {"route": {"by": "approval"}}),
    ],
)
async def test_other_errors_end_the_run(
    context: Context, error: Exception, changes: dict[str, Any]
) -> None:
    with pytest.raises(type(error), match=str(error)):
        await agent_with(error).ainvoke(STATE | changes, context=context)
