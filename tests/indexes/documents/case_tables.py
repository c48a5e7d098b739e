"""Tables of cases: what a file holds, and what is read of it.

The arrow ⇒ is between both, ¦ between two lines or blocks, and ⏎ is the end of a line.
"""

from __future__ import annotations

from typing import Any

import pytest


def cases(table: str) -> list[tuple[str, list[str]]]:
    """The rows of a table of cases, `input ⇒ line ¦ line`, in which ⏎ is the end of a line."""
    rows = (row.replace("⏎", "\n").partition(" ⇒ ") for row in table.split("\n"))
    return [(given, shown.split(" ¦ ")) for given, mark, shown in rows if mark]


def named_cases(table: str) -> list[Any]:
    """Cases of several lines: `# name (source)`, the input, and `⇒` as in `cases`.

    Each gives its name, its input without the ends of lines, and what is shown.
    """
    found = []
    for case in table.strip().split("\n\n"):
        head, *given, shown = case.split("\n")
        name = head.removeprefix("# ").partition(" (")[0]
        parts = shown.removeprefix("⇒ ").replace("⏎", "\n").split(" ¦ ")
        found.append(pytest.param(name, "".join(given), parts, id=name))
    return found
