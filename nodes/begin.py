"""The first step of every graph: check the question, name the run."""

from __future__ import annotations

import asyncio
from typing import Any

from langgraph.runtime import Runtime

from hopyard.models.call import usage_of
from hopyard.nodes.resources import context_of, new_run
from hopyard.state.errors import UsageError
from hopyard.state.schemas import StrategyInput
from hopyard.state.settings import Context

__all__ = ("begin", "checked_question")

LONGEST_QUESTION = 4000
"""Characters. A longer text is a document, not a question."""


def checked_question(question: object) -> str:
    """The question without white space around it.

    Raises:
        UsageError: It is missing, empty, no text, or far too long.
    """
    if not isinstance(question, str) or not question.strip():
        raise UsageError('The question is empty; ask something, as in `hopyard ask "Who …?"`.')
    if len(question) > LONGEST_QUESTION:
        raise UsageError(
            f"The question has {len(question)} characters, and at most {LONGEST_QUESTION} are "
            "taken; put long material into the index and ask about it."
        )
    return question.replace("\x00", "").encode("utf-8", "replace").decode().strip()


async def begin(state: StrategyInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """Check the question, and start the clock of the run."""
    run = state.get("run") or new_run()
    await asyncio.to_thread(usage_of, run, context_of(runtime))
    return {"question": checked_question(state.get("question")), "run": run, "truncated": False}
