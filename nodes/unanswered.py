"""The rule of `nodes.attempt` for steps that catch the errors of their calls themselves."""

from __future__ import annotations

from hopyard.nodes.citations import is_unknown
from hopyard.prompts.answer import UNKNOWN
from hopyard.state.errors import HopyardError, ModelOutputError

__all__ = ("answer_without",)


def answer_without(error: HopyardError, instead: str = UNKNOWN) -> str:
    """The answer in place of a call that was to give it.

    Args:
        error: Why the call failed.
        instead: The result of other calls, if that can be the answer.

    Returns:
        `instead`. If the budget left no call, Unknown: the result says that it is truncated.

    Raises:
        ModelOutputError: Nothing can be the answer.
    """
    if is_unknown(instead) and isinstance(error, ModelOutputError):
        raise error
    return instead
