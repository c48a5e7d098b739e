"""Splits, findings and wishes of `plan` as a model gives them, and how a question is asked."""

from __future__ import annotations

from typing import Any

from hopyard.graphs import plan as plan_graph
from hopyard.state.settings.fields import Context

from ..conftest import changed
from ..script import Said
from ..tree.trees import ROOT

LONG = "How long is the river that the Iron Bridge crosses?"
RIVER = "Which river does the Iron Bridge cross?"
LENGTH = "How long is the Severn?"
OTHERWISE = "What flows under the Iron Bridge?"
RUBRICS = ("relevant", "complete", "specific", "non_overlapping")


def plan(*parts: str, deeper: tuple[str, ...] = (), **more: Any) -> Said:
    """A split whose parts are simple, except for some."""
    return {
        "thought": "Several facts.",
        "kind": "compound",
        "draft": list(parts),
        "criticism": "No fault.",
        "parts": [{"question": part, "simple": part not in deeper} for part in parts],
        **dict.fromkeys(RUBRICS, True),
        **more,
    }


def found(answer: str, *passages: int, **more: Any) -> Said:
    return {"thought": "The passages say so.", "answer": answer, "passages": passages, **more}


def ask_again(part: int, question: str, answer: str = "") -> Said:
    return found(answer, again=part, in_other_words=question)


async def ask(context: Context, question: str = ROOT, **settings: Any) -> dict[str, Any]:
    return await plan_graph.graph.ainvoke(
        {"question": question}, context=changed(context, **settings)
    )


def lines_of(turn: str, title: str) -> list[str]:
    """The lines of a part of a closing prompt."""
    return turn.partition(f"{title}:\n")[2].partition("\n\n")[0].splitlines()
