"""Parts that a program registers: asked, routed to, searched with, and held to what they cite."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from hopyard import as_tool
from hopyard.agent.session import Session
from hopyard.graphs import router
from hopyard.indexes.search import SEARCHES, Search, SearchMethod
from hopyard.nodes.lifecycle import close_run, start_run
from hopyard.nodes.run import run_of
from hopyard.state.errors import UsageError
from hopyard.state.schemas import (
    Citation,
    Evidence,
    RouteLabel,
    Step,
    StrategyInput,
    StrategyOutput,
    StrategyState,
    passage_evidence,
)
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.state.strategy import STRATEGIES, Strategy

from ..agent.runs.test_tool import THREAD, agent_of, asks, calls, tool_messages
from .conftest import changed
from .script import Script

QUESTION = "Which villages are in Shropshire?"
QUOTE = "Coalbrookdale is a village in Shropshire."
TRUE = Citation(passage_id="coalbrookdale", title="Coalbrookdale", quote=QUOTE)
SPACED = Citation(**{**TRUE, "quote": "Coalbrookdale is\na village in  Shropshire."})
INVENTED = Citation(**{**TRUE, "quote": "Coalbrookdale is a city in Shropshire."})
ELSEWHERE = Citation(passage_id="severn", title="Severn", quote=QUOTE)


async def list_villages(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Answer with what the search finds, and cite too much."""
    run = await run_of(state, runtime)
    evidence = await run.find(state["question"], step="list")
    step = Step(id="list", kind="list", title="List the villages", passages=evidence)
    update = {
        "answer": "Coalbrookdale",
        "citations": [TRUE, SPACED, INVENTED, ELSEWHERE],
        "evidence": evidence,
        "steps": [step],
    }
    return await close_run(run, update)


async def first_passages(search: Search) -> list[Evidence]:
    """The first k passages of the corpus."""
    ids = [passage.id for passage in search.index.corpus.passages()]
    return [passage_evidence(name, 1.0) for name in ids[: search.k]]


@pytest.fixture
def strategy() -> Iterator[Strategy]:
    """A strategy that a program has registered."""
    graph = (
        StateGraph(
            StrategyState,
            input_schema=StrategyInput,
            output_schema=StrategyOutput,
            context_schema=Context,
        )
        .add_node("start", start_run)
        .add_node("list", list_villages)
        .add_edge(START, "start")
        .add_edge("start", "list")
        .add_edge("list", END)
        .compile(name="villages")
    )
    label = RouteLabel("it asks for a list of villages", ("Which villages are in Devon?",))
    strategy = Strategy("villages", "Lists villages.", graph, route=label)
    STRATEGIES.register(strategy)
    yield strategy
    STRATEGIES.unregister("villages")


@pytest.fixture
def search() -> Iterator[SearchMethod]:
    """A search method that a program has registered."""
    method = SearchMethod("first", "The first passages of the corpus.", first_passages)
    SEARCHES.register(method)
    yield method
    SEARCHES.unregister("first")


async def test_a_registered_strategy_can_be_asked(
    context: Context, script: Script, strategy: Strategy
) -> None:
    forced = changed(context, strategy="villages")
    output = await router.graph.ainvoke({"question": QUESTION}, context=forced)
    assert (output["strategy"], output["answer"]) == ("villages", "Coalbrookdale")
    assert output["route"]["by"] == "forced"
    assert [step["id"] for step in output["steps"]] == ["list"]


async def test_the_route_offers_it_with_its_label_and_examples(
    context: Context, script: Script, strategy: Strategy, model_server: Any
) -> None:
    script.lines = {("route", QUESTION): {"strategy": "villages"}}
    output = await router.graph.ainvoke({"question": QUESTION}, context=context)
    assert output["strategy"] == "villages"
    assert output["route"]["reason"] == "it asks for a list of villages"
    [call] = model_server.calls
    assert "villages: it asks for a list of villages." in call.messages[0]["content"]
    assert "Question: Which villages are in Devon?" in str(call.messages)
    schema = call.payload["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["strategy"]["enum"] == ["direct", "single", "tree", "villages"]


async def test_a_session_that_was_opened_before_knows_it(
    session: Session, context: Context, script: Script, strategy: Strategy
) -> None:
    STRATEGIES.unregister("villages")
    assert [event async for event in session.ask("Hello?", context, "before")]
    STRATEGIES.register(strategy)
    forced = changed(context, strategy="villages")
    events = [event async for event in session.ask(QUESTION, forced, "t")]
    assert ("villages", "list") in [(event.graph, event.node) for event in events]
    assert (await session.result("t"))["answer"] == "Coalbrookdale"


async def test_a_tool_that_was_made_before_knows_it(
    context: Context, script: Script, strategy: Strategy
) -> None:
    STRATEGIES.unregister("villages")
    tool = as_tool()
    STRATEGIES.register(strategy)
    agent = agent_of(calls(QUESTION), AIMessage("Done."), tool=tool, context_schema=Context)
    forced = changed(context, strategy="villages")
    [message] = tool_messages(await agent.ainvoke(asks(), THREAD, context=forced))
    assert message.artifact["strategy"] == "villages"


async def test_a_strategy_that_is_gone_is_named(context: Context, strategy: Strategy) -> None:
    STRATEGIES.unregister("villages")
    with pytest.raises(UsageError, match=r"'strategy' is not usable.*direct"):
        change_context(context, {"strategy": "villages"})


async def test_a_citation_whose_quote_is_not_in_its_passage_is_dropped(
    context: Context, script: Script, strategy: Strategy
) -> None:
    forced = changed(context, strategy="villages")
    output = await router.graph.ainvoke({"question": QUESTION}, context=forced)
    cited = [(each["passage_id"], each["title"], each["quote"]) for each in output["citations"]]
    assert cited == [(each["passage_id"], each["title"], each["quote"]) for each in (TRUE, SPACED)]


@pytest.mark.parametrize("name", ["villages", "single", "tree", "plan", "cor"])
async def test_every_strategy_searches_with_a_registered_method(
    context: Context, script: Script, strategy: Strategy, search: SearchMethod, name: str
) -> None:
    settings = changed(context, strategy=name, retrieval__method="first")
    output = await router.graph.ainvoke({"question": QUESTION}, context=settings)
    assert [unit["id"] for unit in output["evidence"]] == ["abraham-darby", "coalbrookdale"]
