"""Errors as an agent reads them: with advice that it can follow.

Hopyard's errors advise flags, variables and commands of a shell, which an agent and the person
behind an MCP client may not have. Such advice is replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from hopyard.state.errors import HopyardError

Advice = Sequence[tuple[type[HopyardError], str]]
"""Advice that a caller can follow, by the type of the error. The first that fits counts."""

PROGRAM: Final[Advice] = ((HopyardError, "whoever runs this program can change that"),)
"""The advice for the agent that calls a tool or a sub-agent."""

_SHELL: Final = re.compile(
    r"`[^`]*\bhopyard\b|(?<![\w-])--[a-z]|\bpip install\b|\bHOPYARD_[A-Z]|\bhopyard\.toml\b"
)
_ENDS: Final = ":;.?"


def advises_shell(text: str) -> bool:
    """Whether a text names a command, a flag, a variable or the settings file."""
    return _SHELL.search(text) is not None


def with_advice(error: HopyardError, advice: Advice) -> str:
    """The error in one sentence; advice for a shell is replaced by the caller's."""
    problem = without_shell_advice(str(error))
    if problem == str(error):
        return problem
    instead = next(text for kind, text in advice if isinstance(error, kind))
    return f"{problem.removesuffix('.')}; {instead}."


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
