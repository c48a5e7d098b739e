"""What the tests of `tree` and `plan` share: a comparison of two facts."""

from __future__ import annotations

from typing import Any

import pytest

from hopyard.graphs import tree
from hopyard.state.settings.fields import Context

from ..conftest import changed
from ..script import IRON, QUESTION, STONE, Script, said, split

__all__ = (
    "AT", "BELOW", "IRON", "ROOT", "STONE",
    "ask_tree", "closing", "comparison", "nodes",
)  # fmt: skip

ROOT = QUESTION
BELOW, AT = 7, 8
"""Sums of the four branch scores: 7/20 lies below θ=0.4, 8/20 at it."""


@pytest.fixture
def comparison(script: Script) -> Script:
    """A question with two halves that are facts."""
    script.lines = {
        ("split", ROOT): split(IRON, STONE),
        ("read", IRON): said("1781"),
        ("read", STONE): said("1146"),
        ("aggregate", ROOT): said("Stone Bridge"),
    }
    return script


async def ask_tree(context: Context, question: str = ROOT, **settings: Any) -> dict[str, Any]:
    return await tree.graph.ainvoke({"question": question}, context=changed(context, **settings))


def nodes(output: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The tree's steps by path."""
    return {
        step["id"].removeprefix("tree-").replace("root", ""): step
        for step in output["steps"]
        if step["kind"] == "question"
    }


def closing(output: dict[str, Any]) -> dict[str, Any]:
    return output["steps"][-1]
