"""Threads in short, as their last checkpoints tell it.

The graphs are not imported: that takes longer than listing a few hundred threads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import CheckpointTuple

from hopyard.agent.threads.history import CONTEXT_KEY, NEW_TURN, state_begun
from hopyard.state.settings.fields import Context
from hopyard.state.settings.rights import group_names
from hopyard.state.storage.stores import Holder, ThreadStore

_TO_DO: Final = ("branch:to:", "__start__")
"""LangGraph's channels that say which node runs next. A checkpoint has none at the end of a run."""
_ASKED: Final = "__interrupt__"
"""LangGraph's channel that holds a question to the user."""


@dataclass(frozen=True)
class ThreadSummary:
    """One thread in a list. One that waits for an answer of its user is not finished either."""

    thread_id: str
    first: str
    """Its first question."""
    question: str
    """Its last question, as it was made to stand alone."""
    answer: str
    strategy: str
    finished: bool
    waiting: bool
    updated: str
    size: int
    model: str
    running: Holder | None
    """The process that works on it now."""
    groups: tuple[str, ...] | None = None
    """The groups that it was last asked with; None restricts nothing."""


async def list_threads(saver: ThreadStore) -> list[ThreadSummary]:
    """All threads, the one used last first."""
    found = [await summary_of(saver, name) for name, _ in await saver.last_steps()]
    return [summary for summary in found if summary]


async def summary_of(saver: ThreadStore, thread_id: str) -> ThreadSummary | None:
    """One thread in short; None if there is no such thread."""
    config = RunnableConfig(configurable={"thread_id": thread_id, "checkpoint_ns": ""})
    saved = await saver.aget_tuple(config)
    if saved is None:
        return None
    values = _values(saved)
    finished = not any(name.startswith(_TO_DO) for name in saved.checkpoint["channel_values"])
    return ThreadSummary(
        thread_id=thread_id,
        first=next((each.text for each in values.get("messages", ())), ""),
        question=values.get("question", ""),
        answer=values.get("answer", ""),
        strategy=values.get("strategy", ""),
        finished=finished,
        waiting=any(channel == _ASKED for _, channel, _ in saved.pending_writes or ()),
        updated=saved.checkpoint["ts"],
        size=await saver.thread_size(thread_id),
        model=model_of(saved.metadata, values),
        running=None if finished else await saver.locks.holder(thread_id),
        groups=group_names(_settings(saved.metadata, values).get("groups")),
    )


def model_of(metadata: Mapping[str, Any], values: Mapping[str, Any]) -> str:
    """The chat model of a thread, as its settings name it.

    Args:
        metadata: That of its last checkpoint.
    """
    return str(_settings(metadata, values).get("model", Context().model))


def _settings(metadata: Mapping[str, Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
    kept = metadata.get(CONTEXT_KEY)
    settings: Mapping[str, Any] = (
        json.loads(kept) if isinstance(kept, str) else values.get("settings", {})
    )
    return settings


def _values(saved: CheckpointTuple) -> dict[str, Any]:
    """The agent's state, with what the finished tasks of an unfinished step have written."""
    written = {channel: value for _, channel, value in saved.pending_writes or ()}
    values = {**saved.checkpoint["channel_values"], **written}
    begun = any(name.removeprefix("branch:to:") in NEW_TURN for name in values)
    return state_begun(values) if begun else values
