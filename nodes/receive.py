"""The agent's first step: take the question, and clear what the last turn left."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from hopyard.classifiers.retrieval_gate import lasting_name
from hopyard.nodes.conversation import LONGEST_MESSAGE, conversation_lines, last_answer
from hopyard.nodes.index_facts import check_index
from hopyard.nodes.lifecycle import RUN_DIGITS, check_question, new_run_id, with_endings
from hopyard.nodes.run import Run, run_of
from hopyard.prompts.passages import one_line
from hopyard.prompts.rewrite import REWRITE, FollowUp
from hopyard.prompts.traits import traits_of
from hopyard.state.agent import AgentState
from hopyard.state.schemas import FINISHED, Step
from hopyard.state.settings.fields import Context
from hopyard.state.settings.index_address import lasting_index
from hopyard.state.usage import no_usage
from hopyard.state.verdicts import ABOUT_LAST


async def receive(state: AgentState, runtime: Runtime[Context]) -> dict[str, Any]:
    """Take the question of this turn, and rewrite a follow-up to be understood alone.

    A message about the last answer ("shorter", "why?") stays as it is, and `last` is what it acts
    on. A caller gives `question`, or `messages` that end with one. The working keys of the last
    turn are reset: they would otherwise be read as this turn's.
    """
    run = replace(await run_of(state, runtime), id=_run_id(get_config()))
    await run.usage()
    history, asked, new_messages = _turn(state)
    await check_index(run)
    rewritten = await _stand_alone(run, asked, history)
    question = rewritten["answer"] if rewritten else asked
    about_last = rewritten is not None and rewritten.get("verdict") == ABOUT_LAST
    last = last_answer(history, question) if about_last else None
    return {
        "question": asked if last else question,
        "last": last,
        "run": run.id,
        "settings": settings_to_keep(run.settings),
        "messages": new_messages,
        "answer": "",
        "citations": [],
        "evidence": [],
        "steps": Overwrite([rewritten] if rewritten else []),
        "truncated": False,
        "ending": FINISHED,
        "unconfirmed": "",
        "read_share": None,
        "explanation": None,
        "tried": [],
        "before": {},
        "usage": no_usage(),
    }


def settings_to_keep(settings: Context) -> dict[str, Any]:
    """The settings that a thread keeps: a thread may be resumed from another folder."""
    kept = settings.model_dump(mode="json", exclude_defaults=True)
    if settings.index:
        kept["index"] = lasting_index(settings.index)
    if "gate" in kept:
        kept["gate"] = lasting_name(settings.gate)
    return kept


def _run_id(config: RunnableConfig) -> str:
    """The name of this turn's run: the same again when a killed turn is resumed.

    LangGraph names a task by the checkpoint that it starts from.
    """
    place = config.get("configurable", {})
    thread, task = place.get("thread_id"), place.get("checkpoint_ns")
    if not thread or not task:
        return new_run_id()
    return hashlib.sha256(f"{thread}/{task}".encode()).hexdigest()[:RUN_DIGITS]


def _turn(state: AgentState) -> tuple[Sequence[AnyMessage], str, list[AnyMessage]]:
    """The conversation before this turn, the question, and the message to add."""
    messages = state.get("messages") or []
    if messages and isinstance(messages[-1], HumanMessage):
        return messages[:-1], check_question(messages[-1].text), []
    question = check_question(state.get("question"))
    return messages, question, [HumanMessage(question)]


async def _stand_alone(run: Run, question: str, history: Sequence[AnyMessage]) -> Step | None:
    """The step of rewriting the question; None where there is no conversation."""
    if not history:
        return None
    longest = None if traits_of(run.settings).whole_conversation else LONGEST_MESSAGE
    values = {"conversation": conversation_lines(history, longest), "question": one_line(question)}
    step = Step(id="rewrite", kind="rewrite", title="Understand the follow-up", question=question)
    attempt = await run.try_call(REWRITE, values, step="rewrite")
    output = attempt.output
    if output is None:
        [step] = await with_endings(run, [attempt.mark(step)])
        return step | {"answer": question, "reason": f"kept unchanged: {attempt.reason}"}
    step["answer"] = output.question
    if isinstance(output, FollowUp) and output.kind == ABOUT_LAST:
        return step | {"verdict": ABOUT_LAST, "reason": "it is about the last answer"}
    return step | {"reason": "rewritten to be understood alone"}
