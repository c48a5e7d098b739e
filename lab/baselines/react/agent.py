"""Run the agent, and cite what its answer names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langgraph.graph import END, START
from langgraph.runtime import Runtime

from hopyard.models.calls.parse import UnfitOutputError, parse
from hopyard.nodes.citations import is_unknown
from hopyard.nodes.cited_answer import cite_answer
from hopyard.nodes.lifecycle import start_run, strategy_graph
from hopyard.nodes.run import Found, run_of
from hopyard.prompts.answer import UNKNOWN, writing
from hopyard.prompts.passages import one_line
from hopyard.state.errors import HopyardError
from hopyard.state.schemas import Evidence, Step, StrategyState, passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import Strategy
from lab.baselines.react.model import MOST_TURNS, AgentModel, evidence_of, search_tool
from lab.baselines.react.prompt import INSTRUCTIONS, FinalAnswer

__all__ = ("STRATEGY", "ask_agent", "graph")

LONGEST_ANSWER: Final = 300
"""Characters of an answer in free text."""


async def ask_agent(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Let the agent search and answer. If it gives no final answer, its last text is the answer."""
    from langchain.agents import create_agent  # slow to import, for a baseline
    from langchain.agents.structured_output import ToolStrategy

    run, question = await run_of(state, runtime), state["question"]
    model, problems = await AgentModel.of(run), list[HopyardError]()
    agent: Any = create_agent(
        model,
        tools=[search_tool(run, problems)],
        system_prompt=INSTRUCTIONS + writing(run.settings.answer),
        response_format=ToolStrategy(FinalAnswer),
    )
    result = await agent.ainvoke(
        {"messages": [("user", one_line(question))]}, {"recursion_limit": 4 * MOST_TURNS}
    )
    messages = result["messages"]
    said: FinalAnswer = result.get("structured_response") or _last_text(messages[-1].text)
    found = [unit for units in evidence_of(messages) for unit in units]
    passages = await run.passages(passage_ids(found)) if found else []
    cited = cite_answer(question, said.answer, passages, said.passages)
    unknown = is_unknown(said.answer)
    used = [passages[number - 1].id for number in said.passages if 0 < number <= len(passages)]
    return {
        "answer": cited.answer,
        "citations": cited.citations,
        "unconfirmed": "" if unknown else said.unconfirmed or cited.unconfirmed,
        "evidence": _used_first(found, used),
        "steps": [
            *_searches(messages),
            Step(id="read", kind="read", title="Answer", question=question, answer=cited.answer),
        ],
        "truncated": model.truncated or Found([], problems).truncated,
        "usage": await model.usage(),
        "run": "",
    }


def _last_text(text: str) -> FinalAnswer:
    """The answer of an agent that gave it as text: an object in the text, or all of it."""
    try:
        return parse(text, FinalAnswer)[0]
    except UnfitOutputError:
        return FinalAnswer(answer=one_line(text)[:LONGEST_ANSWER] or UNKNOWN)


def _used_first(found: Sequence[Evidence], used: Sequence[str]) -> list[Evidence]:
    """Each passage once: those that the answer names, then the others in the order found."""
    units = {unit["id"]: unit for unit in reversed(found)}
    order = dict.fromkeys([*used, *(unit["id"] for unit in found)])
    return [units[name] for name in order if name in units]


def _searches(messages: Sequence[BaseMessage]) -> list[Step]:
    calls = [
        call
        for message in messages
        if isinstance(message, AIMessage)
        for call in message.tool_calls
        if call["name"] == "search"
    ]
    found = {
        message.tool_call_id: message.artifact or []
        for message in messages
        if isinstance(message, ToolMessage)
    }
    return [
        Step(
            id=f"search-{number}",
            kind="search",
            question=str(call["args"].get("query", "")),
            passages=found.get(str(call["id"]), []),
        )
        for number, call in enumerate(calls, 1)
    ]


graph = (
    strategy_graph(StrategyState)
    .add_sequence([("start", start_run), ("agent", ask_agent)])
    .add_edge(START, "start")
    .add_edge("agent", END)
    .compile(name="react")
)

STRATEGY: Final = Strategy(
    name="react",
    about=(
        "A baseline to compare with: LangChain's `create_agent` with the search as its only tool. "
        "The model needs tool calls."
    ),
    graph=graph,
    baseline=True,
    rank=92,
    label="LangChain's create_agent with the search as a tool",
)
