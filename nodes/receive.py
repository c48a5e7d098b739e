"""The agent's first step: take the question, and clear what the last turn left."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.models.call import call_model, usage_of
from hopyard.nodes.begin import checked_question
from hopyard.nodes.resources import context_of, new_run
from hopyard.prompts.passages import rewritable
from hopyard.prompts.rewrite import REWRITE
from hopyard.state.errors import BudgetExceededError, ModelOutputError
from hopyard.state.schemas import AgentState, Step
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
    context, run = context_of(runtime), _run_of(get_config())
    await asyncio.to_thread(usage_of, run, context)
    history, asked, new_messages = _turn(state)
    rewritten = await _stand_alone(asked, history, context, run)
    question = rewritten.get("answer", asked)
    return {
        "question": question,
        "run": run,
        "messages": new_messages,
        "answer": "",
        "citations": [],
        "evidence": [],
        "steps": Overwrite([rewritten] if rewritten else []),
        "truncated": False,
        "usage": no_usage(),
    }


def _run_of(config: RunnableConfig) -> str:
    """The name of this turn's run: the same again when a killed turn is resumed.

    LangGraph names a task by the checkpoint that it starts from.
    """
    place = config.get("configurable", {})
    thread, task = place.get("thread_id"), place.get("checkpoint_ns")
    if not thread or not task:
        return new_run()
    return hashlib.sha256(f"{thread}/{task}".encode()).hexdigest()[:32]


def _turn(state: AgentState) -> tuple[Sequence[AnyMessage], str, list[AnyMessage]]:
    """The conversation before this turn, the question, and the message to add."""
    messages = state.get("messages") or []
    if messages and isinstance(messages[-1], HumanMessage):
        return messages[:-1], checked_question(messages[-1].text), []
    question = checked_question(state.get("question"))
    return messages, question, [HumanMessage(question)]


async def _stand_alone(
    question: str, history: Sequence[AnyMessage], context: Context, run: str
) -> Step:
    """The step of rewriting the question; empty where there is no conversation."""
    if not history:
        return {}
    conversation = "\n".join(
        f"{'Assistant' if isinstance(message, AIMessage) else 'User'}: {rewritable(message.text)}"
        for message in history[-TURNS_SHOWN:]
    )
    values = {"conversation": conversation, "question": rewritable(question)}
    step: Step = {"step": "rewrite", "question": question}
    try:
        output = await call_model(REWRITE, values, context=context, run=run)
    except (ModelOutputError, BudgetExceededError) as error:
        if isinstance(error, BudgetExceededError):
            step["verdict"] = "budget"
        return {**step, "answer": question, "reason": f"taken as it is: {error}"}
    return {**step, "answer": output.question, "reason": "made to stand alone"}
