"""The agent's last step: check the citations, and give the answer as a message."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from hopyard.nodes.citations import contains_quote
from hopyard.nodes.run import Run, run_of
from hopyard.state.agent import AgentState
from hopyard.state.errors import IndexMissingError
from hopyard.state.schemas import Citation
from hopyard.state.settings import Context

__all__ = ("finish",)


async def finish(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Close the run. A citation whose quote is not in its passage is dropped, whoever made it."""
    run = await run_of(state, runtime)
    return {
        "usage": await run.usage(),
        "citations": await _checked_citations(run, state["citations"]),
        "truncated": state["truncated"] or _cut_short(state),
        "messages": [AIMessage(state["answer"])],
    }


async def _checked_citations(run: Run, citations: list[Citation]) -> list[Citation]:
    if not citations:
        return []
    try:
        passages = await run.passages([citation["passage_id"] for citation in citations])
    except IndexMissingError:
        return []  # what has left the index meanwhile cannot be cited
    return [
        citation
        for citation, passage in zip(citations, passages, strict=True)
        if contains_quote(passage, citation["quote"])
    ]


def _cut_short(state: AgentState) -> bool:
    """Whether the budget was used up before a strategy began."""
    own = state["steps"][:1]
    return state["route"]["by"] == "budget" or any(step.get("verdict") == "budget" for step in own)
