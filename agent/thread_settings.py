"""The settings of the next question on a thread: its own, changed by what the caller gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopyard.agent.session import Session
from hopyard.state.errors import ThreadMissingError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.given import Given
from hopyard.state.settings.sources import change_context

Changes = Mapping[str, tuple[Any, Any]]
"""Settings by dotted name: the thread's value and the new value."""


@dataclass(frozen=True)
class ThreadSettings:
    """The settings of the next question on a thread.

    Attributes:
        changes: Those that differ from the thread's; empty for a new thread.
        is_new: Whether there is no such thread yet.
    """

    context: Context
    changes: Changes
    is_new: bool = False


async def thread_settings(session: Session, thread_id: str, given: Given) -> ThreadSettings:
    """The settings that a thread continues with.

    The environment and `hopyard.toml` count for new threads only.
    """
    try:
        kept = await session.context(thread_id)
    except ThreadMissingError:
        return ThreadSettings(given.context, {}, is_new=True)
    context = change_context(kept, given.flags)
    return ThreadSettings(context, await session.changes(thread_id, context))
