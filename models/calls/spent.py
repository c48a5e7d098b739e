"""The tokens of a model call: as the server counted them, else estimated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from langchain_core.messages import BaseMessage

from hopyard.models.calls.reply import Reply
from hopyard.state.text.tokens import tokens_of

__all__ = ("Spent", "spent_on")


@dataclass(frozen=True)
class Spent:
    """The tokens of a call.

    Attributes:
        input_tokens: Tokens of the prompt.
        output_tokens: Tokens of the reply, its thoughts included.
        estimated: Whether the server did not count one of the two.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    estimated: bool = False


def spent_on(reply: Reply, messages: Sequence[BaseMessage]) -> Spent:
    """The tokens of a reply. A budget of tokens holds for servers that count none, too.

    Args:
        reply: The reply.
        messages: What was sent.
    """
    asked, answered = reply.input_tokens, reply.output_tokens
    return Spent(
        input_tokens=_estimate(message.text for message in messages) if asked is None else asked,
        output_tokens=_estimate([reply.text, reply.thought]) if answered is None else answered,
        estimated=asked is None or answered is None,
    )


def _estimate(texts: Iterable[str]) -> int:
    return sum(map(tokens_of, texts))
