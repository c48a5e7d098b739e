"""The contents of a thread's checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Overwrite, Send

__all__ = ("plain_values", "saved_values")

_PLAIN: Final = (str, int, float, bool, type(None))
"""Types that JSON has. Compared exactly: a numpy scalar is a float, and cannot be checkpointed."""


async def saved_values(saver: BaseCheckpointSaver[Any]) -> list[Any]:
    """Every value in every checkpoint and pending write of all threads and subgraphs."""
    values: list[Any] = []
    async for saved in saver.alist(None):
        values += saved.checkpoint["channel_values"].values()
        values += [value for _, _, value in saved.pending_writes or []]
    return values


def plain_values(value: Any) -> Iterator[str | int | float | bool | None]:
    """The plain values inside a value.

    Raises:
        TypeError: A value is neither JSON, nor a message, nor LangGraph's own.
    """
    if type(value) in _PLAIN:
        yield value
    elif type(value) is dict:
        for key, inner in value.items():
            yield from plain_values(key)
            yield from plain_values(inner)
    elif type(value) in {list, tuple, set}:
        for inner in value:
            yield from plain_values(inner)
    elif isinstance(value, Send):
        yield from plain_values([value.node, value.arg])
    elif isinstance(value, Overwrite):
        yield from plain_values(value.value)
    elif isinstance(value, BaseMessage):
        yield from plain_values(value.content)
    else:
        raise TypeError(f"{type(value)} is saved: {value!r}")
