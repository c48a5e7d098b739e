"""The agent's first step: take the question, and clear what the last turn left."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.models.call import call_model, usage_of
from hopyard.nodes.begin import checked_question
from hopyard.nodes.resources import context_of, new_run
from hopyard.prompts.passages import one_line
from hopyard.prompts.rewrite import REWRITE
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import AgentState
from hopyard.state.settings import Context
from hopyard.state.usage import no_usage

__all__ = ("receive",)

TURNS_SHOWN: Final = 6
"""Messages of the conversation that a follow-up question is read with."""


async def receive(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Take the question of this turn, made to stand alone if it follows on from others.

    A caller gives `question`, or `messages` that end with one. The working keys of the last turn
    are reset: they would otherwise be read as this turn's.
    """
    context, run = context_of(runtime), new_run()
    await asyncio.to_thread(usage_of, run, context)
    history, asked, new_messages = _turn(state)
    question, reason = await _stand_alone(asked, history, context, run)
    steps = [{"step": "rewrite", "question": asked, "answer": question, "reason": reason}]
    return {
        "question": question,
        "run": run,
        "messages": new_messages,
        "answer": "",
        "citations": [],
        "evidence": [],
        "steps": Overwrite(steps if reason else []),
        "truncated": False,
        "usage": no_usage(),
    }


def _turn(state: AgentState) -> tuple[Sequence[AnyMessage], str, list[AnyMessage]]:
    """The conversation before this turn, the question, and the message to add."""
    messages = state.get("messages") or []
    if messages and isinstance(messages[-1], HumanMessage):
        return messages[:-1], checked_question(messages[-1].text), []
    question = checked_question(state.get("question"))
    return messages, question, [HumanMessage(question)]


async def _stand_alone(
    question: str, history: Sequence[AnyMessage], context: Context, run: str
) -> tuple[str, str]:
    """The question, rewritten where there is a conversation, and what was done."""
    if not history:
        return question, ""
    conversation = "\n".join(
        f"{'Assistant' if isinstance(message, AIMessage) else 'User'}: {one_line(message.text)}"
        for message in history[-TURNS_SHOWN:]
    )
    values = {"conversation": conversation, "question": one_line(question)}
    try:
        output = await call_model(REWRITE, values, context=context, run=run)
    except (ModelOutputError, BudgetExceededError) as error:
        return question, f"taken as it is: {error}"
    return output.question, "made to stand alone"
