"""The earlier questions of a thread, read from its checkpoints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.messages import HumanMessage, convert_to_messages
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver, CheckpointTuple

CONTEXT_KEY: Final = "hopyard_context"
"""Checkpoint metadata that holds the run's settings: LangGraph itself does not keep them."""
NEW_TURN: Final = frozenset({"__start__", "receive"})
"""Before these nodes have ended, the state still holds the last turn's answer, steps and run."""


@dataclass(frozen=True)
class Turn:
    """An earlier question of a thread.

    Attributes:
        values: The agent's state as it ended.
        settings: The settings that it ran with, but for those with their defaults.
        at: When it ended, in ISO format and UTC.
        checkpoint: The checkpoint that it ended with.
    """

    values: Mapping[str, Any]
    settings: Mapping[str, Any]
    at: str
    checkpoint: str


async def earlier_turns(saver: BaseCheckpointSaver[Any], thread_id: str) -> list[Turn]:
    """The questions before the last question, oldest first.

    The checkpoint before a question holds the end of the question before.
    """
    config = RunnableConfig(configurable={"thread_id": thread_id, "checkpoint_ns": ""})
    turns: list[Turn] = []
    taken = False
    async for saved in saver.alist(config):  # the newest first
        if taken and "run" in saved.checkpoint["channel_values"]:
            turns.append(_turn(saved))
        taken = saved.metadata.get("source") == "input"
    return turns[::-1]


def state_begun(values: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a state that belongs to a question of which only `NEW_TURN` is done.

    Args:
        values: The values of its checkpoint. At first the question is in `__start__` alone.
    """
    given = values.get("__start__") or {}
    messages = [*values.get("messages", ()), *convert_to_messages(given.get("messages", ()))]
    if not (messages and isinstance(messages[-1], HumanMessage)):
        messages.append(HumanMessage({**values, **given}.get("question", "")))
    return {"question": messages[-1].text, "messages": messages}


def _turn(saved: CheckpointTuple) -> Turn:
    values = saved.checkpoint["channel_values"]
    kept = saved.metadata.get(CONTEXT_KEY)
    settings = json.loads(kept) if isinstance(kept, str) else values.get("settings", {})
    return Turn(values, settings, saved.checkpoint["ts"], saved.checkpoint["id"])
