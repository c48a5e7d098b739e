"""The settings of a thread: kept from one command to the next, changed by flags, and told."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any, Final

from hopyard.agent.session import Session
from hopyard.agent.thread_settings import Changes, ThreadSettings, thread_settings
from hopyard.cli.console import printable, tell
from hopyard.state.settings.fields import Context
from hopyard.state.settings.given import Given, nest
from hopyard.state.settings.sources import read_context, setting_changes

_FLAGS: Final = {
    "index": "--index",
    "model": "--model",
    "embedding": "--embedding",
    "strategy": "--strategy",
    "answer.style": "--style",
    "where": "--where",
}
"""The settings that have a flag of their own, in all commands that talk on threads."""


async def told_settings(session: Session, thread_id: str, given: Given) -> ThreadSettings:
    """The settings of a continued thread: its own settings, changed only by flags.

    The environment and `hopyard.toml` are for new threads. A difference to the thread's settings is
    printed.
    """
    settings = await thread_settings(session, thread_id, given)
    if not settings.is_new:
        tell_changes(settings.changes)
        _tell_ignored(await session.changes(thread_id, read_context({})), given)
    return settings


def tell_changes(changes: Changes) -> None:
    """Announce what changes on a thread from here on."""
    for name, (old, new) in changes.items():
        tell(f"changed on this thread: {name} {_value(old)} → {_value(new)}", style="yellow")


def _tell_ignored(elsewhere: Changes, given: Given) -> None:
    """Say which choices of the environment and `hopyard.toml` do not count for an old thread."""
    usual = setting_changes(Context(), read_context({}))
    for name, (own, other) in elsewhere.items():
        if name in usual and name not in given.names:
            change = " ".join(_flag(name, other))
            tell(f"this thread keeps {name} {_value(own)}; {change} changes it", style="dim")


def flags_for(changes: Changes) -> list[str]:
    """The flags that make these changes again, ready for a shell."""
    return [part for name, (_, new) in changes.items() for part in _flag(name, new)]


def nested(changes: Changes) -> dict[str, Any]:
    """The new values, as `Session.resume` takes them."""
    return nest((name, new) for name, (_, new) in changes.items())


def _flag(name: str, value: Any) -> Iterator[str]:
    if name == "where" and value:
        for condition in value:
            yield from ("--where", shlex.quote(condition))
    elif name in _FLAGS:
        yield from (_FLAGS[name], shlex.quote(str(value)))
    else:
        yield from ("--set", shlex.quote(f"{name}={_text(value)}"))


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _value(value: Any) -> str:
    return printable(_text(value)) or "(none)"
