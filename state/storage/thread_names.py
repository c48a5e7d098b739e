"""Names of threads: which texts can be one, and how a shell takes them."""

from __future__ import annotations

import shlex

from hopyard.state.errors import UsageError
from hopyard.state.text.unicode import valid_unicode

_REPLACED = "\N{REPLACEMENT CHARACTER}"


def checked_thread_name(name: str) -> str:
    """A thread's name as the store keeps it: any text that UTF-8 can encode, without NUL.

    Replacing the other characters would give two names to one thread.

    Raises:
        UsageError: The name has NUL or a lone surrogate, which on the command line stands for a
            byte that is not UTF-8.
    """
    valid = valid_unicode(name)
    if "\0" in name or valid.count(_REPLACED) > name.count(_REPLACED):
        raise UsageError(
            f"The thread name {name!r} has a NUL or a character that UTF-8 cannot encode; choose "
            "another name."
        )
    return valid


def shell_name(thread_id: str) -> str:
    """A thread's name as an argument of a command."""
    quoted = shlex.quote(thread_id)
    return f"-- {quoted}" if thread_id.startswith("-") else quoted


def resume_command(thread_id: str, flags: str = "") -> str:
    """The command that continues a thread.

    Args:
        flags: Further flags, ready for a shell.
    """
    name = shell_name(thread_id)
    parts = (flags, name) if thread_id.startswith("-") else (name, flags)
    return " ".join(filter(None, ("hopyard resume", *parts)))
