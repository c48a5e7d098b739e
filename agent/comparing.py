"""One question, answered by several strategies, each on a thread of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from hopyard.agent.answer import Answer
from hopyard.agent.session import new_thread_id, open_session
from hopyard.nodes.index_facts import index_kinds
from hopyard.nodes.resources import Resources
from hopyard.nodes.route import runnable
from hopyard.nodes.run import Run
from hopyard.state.errors import HopyardError
from hopyard.state.settings.fields import AUTO, Context, profile_of
from hopyard.state.strategy import STRATEGIES, Strategy, strategies


@dataclass(frozen=True)
class Compared:
    """The answer of one strategy.

    Attributes:
        answer: Its answer; None if an error ended the run.
        failure: The error's sentence; "" if there was none.
    """

    strategy: str
    answer: Answer | None
    failure: str = ""


async def comparable(context: Context, resources: Resources) -> list[Strategy]:
    """The strategies that fit the index and the model, cheap strategies first; no baseline."""
    kinds, profile = await index_kinds(Run("", context, resources)), profile_of(context)
    return [
        strategy
        for strategy in runnable(kinds)
        if not strategy.baseline and profile in strategy.profiles
    ]


async def usual_calls(name: str, run: Run) -> float | None:
    """About how many model calls a question takes; None if that is unknown.

    `auto` is the default of the model's profile, and a call that chooses.
    """
    if name != AUTO:
        return await STRATEGIES[name].estimate_calls(run)
    profile = profile_of(run.settings)
    default = next((each for each in strategies() if profile in each.default_for), None)
    calls = None if default is None else await default.estimate_calls(run)
    return None if calls is None else calls + 1


async def answers_of(
    question: str, strategies: Sequence[str], context: Context, resources: Resources
) -> AsyncIterator[Compared]:
    """Ask each strategy in turn. A strategy that fails does not keep the others from answering.

    Args:
        strategies: Names of strategies, or `auto`.
        context: The settings of every run. Nothing waits for an approval.
    """
    async with open_session(resources) as session:
        for name in strategies:
            thread = new_thread_id()
            chosen = context.model_copy(update={"strategy": name, "approve": ()})
            try:
                async for _ in session.ask(question, chosen, thread, new=True):
                    pass
                yield Compared(name, Answer.of(await session.result(thread)))
            except HopyardError as error:
                yield Compared(name, None, str(error))
