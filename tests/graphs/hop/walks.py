"""What the tests of the traversal share: a graph of five passages, and a walk over it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hopyard.graphs import hop
from hopyard.state.settings.fields import Context

from ..conftest import changed
from .drawn import Dialled, Drawing, build_drawn

QUERY = "which one is it"
PASSAGES = {"a": "~0.8", "b": "~0.6", "c": "~0.4", "d": "~0.2", "e": "~0.0"}
GRAPH = [
    ("a", "To b? ~0.9", "b"),
    ("a", "To c? ~0.5", "c"),
    ("b", "To d? ~0.7", "d"),
    ("c", "To d? ~0.7", "d"),
    ("d", "To e? ~0.3", "e"),
    ("d", "To b? ~0.1", "b"),
]

PAPER = {"hop__n_hop": 4, "profile": "capable"}
"""The paper's rounds, and its entry by edges alone."""

Draw = Callable[..., Context]


@pytest.fixture
def draw(context: Context, tmp_path: Path) -> Draw:
    """Settings of a run over a drawn graph."""

    def drawn(drawing: Drawing = GRAPH, keywords: Any = None, **settings: Any) -> Context:
        index = build_drawn(tmp_path / "drawn", PASSAGES, drawing, Dialled(), keywords)
        settings = {**PAPER, "hop__top_k": 2, **settings}
        return changed(context, index=str(index), embedding="dialled", **settings)

    return drawn


async def walk(context: Context, query: str = QUERY) -> dict[str, Any]:
    return await hop.graph.ainvoke({"question": query}, context=context)


def hops(output: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of the hops, the entry's first."""
    return [step for step in output["steps"] if step["kind"] == "hop"]


def round_of(step: dict[str, Any]) -> int:
    """The round that a hop is in; 0 is the entry."""
    return int(step["parent"].removeprefix("round-"))


def visits_of(step: dict[str, Any]) -> int | None:
    """How often the passage that a hop reached was reached by then."""
    return int(step["facts"]["visits"]) if "facts" in step else None


def path(output: dict[str, Any]) -> list[tuple[Any, ...]]:
    """(round, tail, question, head, visits) of every hop; an entry begins at the query."""
    return [
        (round_of(step), *(step.get(key) for key in ("tail", "question", "head")), visits_of(step))
        for step in hops(output)
    ]


def helpful(output: dict[str, Any]) -> dict[str, float]:
    kept = next(step for step in output["steps"] if step["kind"] == "prune")["passages"]
    return {unit["id"]: unit["score"] for unit in kept}


WALK = [
    (0, None, "To b? ~0.9", "b", 1),
    (0, None, "To d? ~0.7", "d", 1),
    (1, "b", "To d? ~0.7", "d", 2),
    (1, "d", "To e? ~0.3", "e", 1),
    (2, "e", None, None, None),
]
"""Entered by the edges at 0.9 and 0.7 (of the two equal ones the first), b and d choose their best
edges, and e, the one passage that is new, has none: nothing is left in the queue."""
