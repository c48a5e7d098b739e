"""Routes that are prompts: the model's own, Adaptive-RAG's question, Self-RAG's reflection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hopyard.indexes.kind import Progress, silent
from hopyard.nodes.lifecycle import new_run_id
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.prompts.passages import one_line
from hopyard.prompts.route import choice_prompt
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES
from lab.route.complexity import COMPLEXITY
from lab.route.outcomes import Answered, Complexity, Outcome
from lab.route.reflection import REFLECTION

__all__ = ("PROMPTED", "PromptedRoutes", "ask_prompted_routes")

MODEL_ROUTE: Final = "model's route (prompt)"
ADAPTIVE: Final = "Adaptive-RAG's classes (prompt)"
SELF_RAG: Final = "Self-RAG's reflection (prompt)"
PROMPTED: Final = (MODEL_ROUTE, ADAPTIVE, SELF_RAG)
"""One call for each question and each of these."""


@dataclass(frozen=True)
class PromptedRoutes:
    """The prompts' choices.

    Attributes:
        policies: By name: the strategy for each question, its outcome with the prompt's own cost.
        failed: Calls without a usable output, which took `fallback`.
        fallback: The strategy that these took.
    """

    policies: Mapping[str, list[tuple[str, Outcome]]]
    failed: int
    fallback: str


Ask = Callable[[Run, str], Awaitable[str]]


async def ask_prompted_routes(
    answered: Sequence[Answered],
    strategies: Sequence[str],
    classes: Mapping[Complexity, str],
    context: Context,
    resources: Resources,
    *,
    parallel: int = 16,
    progress: Progress = silent,
) -> PromptedRoutes:
    """Ask the model for a strategy with each prompt. The ledger keeps the calls.

    Args:
        answered: The questions.
        strategies: Those to choose among.
        classes: The strategy of each of Adaptive-RAG's classes; the last one is also what
            Self-RAG's reflection takes when it retrieves, and what an unusable output takes.
        context: The model that chooses.
        resources: The resources for the calls.
        parallel: Calls at once.
        progress: Called after each question.

    Raises:
        ModelUnreachableError: The model does not answer; finished calls are kept.
    """
    thorough = list(classes.values())[-1]
    asks = _asks(strategies, classes, thorough)
    places = asyncio.Semaphore(parallel)
    chosen: dict[tuple[str, int], tuple[str, Outcome]] = {}
    failed = 0

    async def ask(name: str, number: int) -> None:
        nonlocal failed
        async with places:
            run, each = Run(new_run_id(), context, resources), answered[number]
            try:
                strategy = await asks[name](run, each.question)
            except ModelOutputError:
                strategy, failed = thorough, failed + 1
            tokens, calls = await _cost(run)
        outcome = each.outcomes[strategy]
        chosen[name, number] = (
            strategy,
            replace(outcome, tokens=outcome.tokens + tokens, calls=outcome.calls + calls),
        )
        progress("routes", len(chosen), len(asks) * len(answered))

    try:
        async with asyncio.TaskGroup() as group:
            for number in range(len(answered)):
                for name in asks:
                    group.create_task(ask(name, number))
    except BaseExceptionGroup as errors:  # the first is the cause; the others were cancelled
        raise errors.exceptions[0] from errors
    policies = {name: [chosen[name, number] for number in range(len(answered))] for name in asks}
    return PromptedRoutes(policies, failed, thorough)


def _asks(
    strategies: Sequence[str], classes: Mapping[Complexity, str], thorough: str
) -> dict[str, Ask]:
    prompt = choice_prompt({name: STRATEGIES[name].about for name in strategies})

    async def choice(run: Run, question: str) -> str:
        return (await run.call(prompt, {"question": one_line(question)}, step="route")).strategy

    async def complexity(run: Run, question: str) -> str:
        found = await run.call(COMPLEXITY, {"question": one_line(question)}, step="route")
        return classes.get(found.complexity, thorough)

    async def reflection(run: Run, question: str) -> str:
        found = await run.call(REFLECTION, {"question": one_line(question)}, step="route")
        return classes.get("A", thorough) if found.retrieve == "no" else thorough

    return dict(zip(PROMPTED, (choice, complexity, reflection), strict=True))


async def _cost(run: Run) -> tuple[int, int]:
    """Tokens and calls of a run, also of those that the ledger answered."""
    calls = await asyncio.to_thread(lambda: run.resources.ledger.calls_of(run.id))
    return sum(entry.input_tokens + entry.output_tokens for entry, _ in calls), len(calls)
