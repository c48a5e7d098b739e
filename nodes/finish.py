"""The agent's last step: check the citations, and give the answer as a message."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from hopyard.nodes.citations import contains_quote, renumber
from hopyard.nodes.conversation import answer_message
from hopyard.nodes.run import Run, run_of
from hopyard.state.agent import AgentState
from hopyard.state.errors import IndexMissingError
from hopyard.state.schemas import Citation
from hopyard.state.settings import Context, profile_of

__all__ = ("cut_short", "finish")


async def finish(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Close the run. A citation whose quote is not in its passage is dropped, whoever made it.

    The markers of the answer stay the numbers of its citations; one that names none is removed.
    """
    run, cited = await run_of(state, runtime), state["citations"]
    checked = await _check_citations(run, cited)
    citations = [citation for citation, good in zip(cited, checked, strict=True) if good]
    answer, unconfirmed = state["answer"], state.get("unconfirmed", "")
    capable = profile_of(run.settings) == "capable"
    if cited or (capable and state["evidence"]):
        kept = [number for number, good in enumerate(checked, 1) if good]
        answer = renumber(answer, {number: place for place, number in enumerate(kept, 1)})
    message = answer_message(answer, citations, unconfirmed) if capable else AIMessage(answer)
    return {
        "usage": await run.usage(),
        "answer": answer,
        "citations": citations,
        "truncated": state["truncated"] or cut_short(state),
        "messages": [message],
    }


async def _check_citations(run: Run, citations: list[Citation]) -> list[bool]:
    """Whether each quote is in its passage."""
    if not citations:
        return []
    try:
        passages = await run.passages([citation["passage_id"] for citation in citations])
    except IndexMissingError:
        return [False] * len(citations)  # what has left the index meanwhile cannot be cited
    return [
        contains_quote(passage, citation["quote"])
        for citation, passage in zip(citations, passages, strict=True)
    ]


def cut_short(state: AgentState) -> bool:
    """Whether the budget was used up before a strategy began."""
    own = [step for step in state["steps"][:2] if step["id"] in {"rewrite", "revise"}]
    return state["route"]["by"] == "budget" or any(step.get("verdict") == "budget" for step in own)
