"""The setting `route`: a trained route's choice and its probability, and the model's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from routes import write_route

from hopyard.graphs import router
from hopyard.nodes.route import choose_strategy
from hopyard.state.agent import AgentState
from hopyard.state.errors import RouteUnavailableError
from hopyard.state.settings.fields import Context
from hopyard.tracing.describe import route_step

from .conftest import EMBEDDING, changed
from .script import Script
from .test_router import QUESTION, ask_agent


@pytest.fixture
def script(quick_script: Script) -> Script:
    return quick_script


async def test_it_takes_the_cheapest_within_the_margin_and_records_its_probability(
    context: Context, script: Script, tmp_path: Path
) -> None:
    route = write_route(tmp_path / "route", {"single": 0.75, "tree": 0.8})
    output = await ask_agent(context, route=str(route))
    assert script.asked == [("read", QUESTION)]
    assert output["strategy"] == "single"
    assert output["route"]["by"] == "trained"
    assert output["route"]["probability"] == pytest.approx(0.75)
    assert output["route"]["reason"].startswith("P(right): single 0.75, tree 0.80; the cheapest")
    assert route_step(output["route"])["facts"] == {"probability": "0.75"}


async def test_a_margin_that_is_too_narrow_takes_the_better_one(
    context: Context, script: Script, tmp_path: Path
) -> None:
    route = write_route(tmp_path / "route", {"single": 0.3, "tree": 0.8})
    assert (await ask_agent(context, route=str(route)))["strategy"] == "tree"


@pytest.mark.parametrize(
    ("retrieve", "strategy"), [(None, "direct"), (True, "single"), (False, "direct")]
)
async def test_the_gate_binds_it(
    context: Context, script: Script, tmp_path: Path, retrieve: bool | None, strategy: str
) -> None:
    route = str(write_route(tmp_path / "route", {"direct": 0.9, "single": 0.5}))
    graph = (
        StateGraph(AgentState, context_schema=Context)
        .add_node("route", choose_strategy)
        .add_edge(START, "route")
        .compile()
    )
    gate = {"gate": "g", "probability": 0.5, "retrieve": retrieve, "reason": ""}
    state: Any = {"question": QUESTION, "run": "r", "gate": gate}
    output = await graph.ainvoke(state, context=changed(context, route=route))
    assert output["strategy"] == strategy
    assert output["route"]["by"] == ("gate" if retrieve is False else "trained")


async def test_a_forced_strategy_needs_no_route(context: Context, script: Script) -> None:
    output = await ask_agent(context, strategy="single", route="/nowhere")
    assert output["route"]["by"] == "forced"


async def test_without_an_index_there_is_nothing_to_read(
    context: Context, script: Script, tmp_path: Path
) -> None:
    route = str(write_route(tmp_path / "route", {"single": 0.9, "tree": 0.5}))
    output = await ask_agent(context, route=route, index="")
    assert (output["strategy"], output["route"]["reason"]) == (
        "direct",
        "there is no index to read",
    )


async def test_strategies_that_cannot_run_here_leave_one_search(
    context: Context, script: Script, tmp_path: Path
) -> None:
    route = str(write_route(tmp_path / "route", {"hop": 0.9}))
    output = await ask_agent(context, route=route)
    assert (output["strategy"], output["route"]["by"]) == ("single", "fallback")
    assert output["route"]["reason"] == "none of hop can run over this index"


@pytest.mark.parametrize(
    ("values", "told"),
    [({"embedding": "other"}, "trained with the embedding model 'other'"), ({}, "does not exist")],
)
async def test_one_that_does_not_fit_fails_before_anything_is_spent(
    context: Context, script: Script, tmp_path: Path, values: dict[str, Any], told: str
) -> None:
    route = tmp_path / "route"
    if values:
        write_route(route, {"single": 0.9}, **values)
    with pytest.raises(RouteUnavailableError, match=told):
        await ask_agent(context, route=str(route))
    assert script.asked == []


async def test_another_model_than_it_was_trained_for_is_named(
    context: Context, script: Script, tmp_path: Path
) -> None:
    route = str(write_route(tmp_path / "route", {"single": 0.9}, model="openai:large"))
    output = await ask_agent(context, route=route)
    assert output["route"]["reason"].endswith("; trained for openai:large")


async def test_a_capable_model_that_is_asked_may_choose_every_strategy(
    context: Context, script: Script
) -> None:
    script.lines = {("route", QUESTION): {"strategy": "plan", "confidence": 0.9}}
    output = await ask_agent(context, route="model", profile="capable")
    assert script.asked[0] == ("route", QUESTION)
    assert (output["strategy"], output["route"]["by"]) == ("plan", "model")
    assert output["route"]["probability"] == 0.9


async def test_the_thread_keeps_the_folder_from_every_working_directory(
    context: Context,
    script: Script,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    write_route(tmp_path / "route", {"single": 0.9})
    graph = router.build().compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    kept = changed(context, route="route", embedding=EMBEDDING)
    await graph.ainvoke({"question": QUESTION}, config, context=kept)
    state = await graph.aget_state(config)
    assert state.values["settings"]["route"] == str(tmp_path / "route")
    assert state.values["route"]["probability"] == pytest.approx(0.9)
