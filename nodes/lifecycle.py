"""The frame of a strategy, and how its run begins and ends: name, question, last update."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar
from uuid import uuid4

from langgraph.graph import StateGraph
from langgraph.runtime import Runtime

from hopyard.nodes.run import Run, run_of
from hopyard.state.errors import UsageError
from hopyard.state.schemas import CUT, FINISHED, Step, StrategyInput, StrategyOutput
from hopyard.state.settings.fields import Context
from hopyard.state.text.unicode import storable_text

LONGEST_QUESTION: Final = 4000
"""Maximum characters of a question. A longer text is a document."""

RUN_DIGITS: Final = 16
"""Hexadecimal digits of a run's name, which every task of a run carries."""


StateT = TypeVar("StateT", bound=StrategyInput)


def strategy_graph(
    state: type[StateT],
) -> StateGraph[StateT, Context, StrategyInput, StrategyOutput]:
    """A graph without nodes, which takes and gives what every strategy does."""
    return StateGraph(
        state, input_schema=StrategyInput, output_schema=StrategyOutput, context_schema=Context
    )


def new_run_id() -> str:
    """A name under which one question's usage is counted."""
    return uuid4().hex[:RUN_DIGITS]


def check_question(question: object) -> str:
    """The question without white space around it.

    Raises:
        UsageError: It is missing, empty, no text, or far too long.
    """
    if not isinstance(question, str) or not question.strip():
        raise UsageError('The question is empty; write one, as in "Who discovered Pluto?".')
    if len(question) > LONGEST_QUESTION:
        raise UsageError(
            f"The question has {len(question)} characters, and at most {LONGEST_QUESTION} are "
            f"allowed; put long texts into the index and ask about them."
        )
    return storable_text(question).strip()


async def start_run(state: StrategyInput, runtime: Runtime[Context]) -> dict[str, Any]:
    """A strategy's first step: check the question, and start the clock of the run."""
    run = replace(await run_of(state, runtime), id=state.get("run") or new_run_id())
    await run.usage()
    return {"question": check_question(state.get("question")), "run": run.id, "truncated": False}


async def close_run(run: Run, update: Mapping[str, Any]) -> dict[str, Any]:
    """Complete a strategy's last update: what its run spent, and how its calls ended.

    The run's name is cleared, so that the next question on the same thread is a run of its own.

    Args:
        update: The last update, with all `steps`. The last of them gives the answer.
    """
    steps = await with_endings(run, update["steps"])
    endings = [step.get("ending", FINISHED) for step in steps]
    closed = {**update, "steps": steps, "usage": await run.usage(), "run": ""}
    closed["ending"] = endings[-1] if endings else FINISHED
    return closed | ({"truncated": True} if CUT in endings else {})


async def with_endings(run: Run, steps: Sequence[Step]) -> list[Step]:
    """The steps; those with a call that is not finished say how it ended."""
    caller = await run.caller()
    endings = (await asyncio.to_thread(caller.meter, run.id)).endings()
    return [
        {**step, "ending": endings[step["id"]]} if step["id"] in endings else step for step in steps
    ]
