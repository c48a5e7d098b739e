"""What labelling and evaluating a gate take from the agent: its search, and its answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from hopyard.classifiers.label import Found
from hopyard.nodes.answer import shown
from hopyard.nodes.resources import new_run, passages_of
from hopyard.nodes.retrieve import find_passages
from hopyard.state.settings import Context

if TYPE_CHECKING:
    from hopyard.classifiers.causal import Precision
    from hopyard.classifiers.contributions import ValueFunction

__all__ = ("finder", "value_function")


def finder(context: Context) -> Callable[[str], Awaitable[Found]]:
    """The search of the strategy `single`, under the run's settings."""

    async def find(question: str) -> Found:
        evidence = await find_passages(question, context)
        ids = [one["passage_id"] for one in evidence]
        passages = await passages_of(ids, context)
        return Found(tuple(ids), shown(passages, context))

    return find


def value_function(name: str, context: Context, precision: Precision) -> ValueFunction:
    """The value function of that name for the run's model.

    Raises:
        UsageError: The model gives no token probabilities, and they were asked for.
        ModelUnreachableError: The model cannot be loaded.
    """
    if name == "answer-f1":
        from hopyard.classifiers.answer_f1 import AnswerF1  # noqa: PLC0415

        return AnswerF1(context, new_run())
    from hopyard.classifiers.causal import load_causal  # noqa: PLC0415
    from hopyard.classifiers.token_probability import TokenProbability  # noqa: PLC0415

    return TokenProbability(load_causal(context.model, precision))
