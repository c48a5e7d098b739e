"""Errors as an MCP client reads them: with advice that it can follow.

Hopyard's errors advise flags, variables and commands of a shell, which the program or the person
behind an MCP client may not have. Such advice is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from hopyard.state.errors import (
    HopyardError,
    ThreadBusyError,
    ThreadMissingError,
    ThreadUnfinishedError,
)

__all__ = ("advises_shell", "told_over_mcp", "without_shell_advice")

_SHELL: Final = re.compile(
    r"`[^`]*\bhopyard\b|(?<![\w-])--[a-z]|\bpip install\b|\bHOPYARD_[A-Z]|\bhopyard\.toml\b"
)
_ENDS: Final = ":;.?"
_ADVICE: Final = (
    (ThreadMissingError, "give a thread_id that `ask` has returned"),
    (
        ThreadUnfinishedError,
        "call `continue_thread` without a question first, or ask on another thread",
    ),
    (ThreadBusyError, "wait for it to end, then call again"),
    (HopyardError, "whoever runs this server can change that"),
)


def advises_shell(text: str) -> bool:
    """Whether a text names a command, a flag, a variable or the settings file."""
    return _SHELL.search(text) is not None


def told_over_mcp(error: HopyardError) -> str:
    """The error in one sentence, with advice for an MCP client."""
    problem = without_shell_advice(str(error))
    if problem == str(error):
        return problem
    advice = next(text for kind, text in _ADVICE if isinstance(error, kind))
    return f"{problem.removesuffix('.')}; {advice}."


def without_shell_advice(text: str) -> str:
    """The text up to the clause that advises something of a shell. Its first clause stays."""
    kept = ""
    for clause in _clauses(text):
        if kept and advises_shell(clause):
            return f"{kept.rstrip(_ENDS)}."
        kept = f"{kept} {clause}".lstrip()
    return kept


def _clauses(text: str) -> Iterator[str]:
    """The clauses, each with the sign that ends it. Signs within parentheses end none."""
    start = depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign in _ENDS and depth <= 0 and text[place + 1 : place + 2] == " ":
            yield text[start : place + 1]
            start = place + 2
    yield text[start:]
