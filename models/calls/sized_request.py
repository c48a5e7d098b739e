"""A request whose prompt fits the model's window: with fewer passages where it has to be."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import Final

from langchain_core.messages import BaseMessage

from hopyard.models.calls.attempt import Attempt
from hopyard.models.calls.reply import Reply
from hopyard.models.calls.request import Request, schemas_of, send
from hopyard.models.calls.stream import AnswerStream
from hopyard.models.chat import ChatProvider
from hopyard.models.prompt import OutputT
from hopyard.models.servers.abilities import abilities_of
from hopyard.models.servers.failures import Failure
from hopyard.models.servers.tokenizers import Counter, counter_of, estimate_tokens
from hopyard.models.servers.windows import Fitted, estimate, fit, length_said
from hopyard.state.errors import CallFailedError

_MOST_TRIES: Final = 3
"""Times that a prompt is sent, each shorter, if the server says that it is too long."""
_DENSER: Final = 4 / 3
"""How much longer than its window a prompt is taken to be, if the server does not say."""
_LEARNT_FROM: Final = 1000
"""Tokens of a prompt whose count tells how dense a model's tokens are. In a shorter one the schema,
which a server counts too, weighs too much."""
_DENSEST: Final = 4.0
"""Tokens for each token of the estimate, at most; a server that counts more counts wrongly."""
_FEWER: Final = 0.25
"""The share of the estimate that a server counts, at least; less is a sign that it cut the prompt.
Russian, Hindi and Thai have .4 to .55 tokens for each token of the estimate."""
_scales: Final[dict[tuple[str, Counter], float]] = {}
"""The most tokens that a model's server counted for each token that was counted here, by model and
counter. Less than one is not kept: a server may leave out what it had in its cache."""


@dataclass(frozen=True)
class Sent:
    """A reply, and what it is a reply to.

    Attributes:
        note: One sentence about passages that were not shown; "" if all were.
    """

    reply: Reply
    messages: list[BaseMessage]
    note: str


def window_of(provider: ChatProvider) -> int:
    """Tokens of prompt and answer together; 0 if neither the server nor an error of it said.

    It may ask the server and read a file.
    """
    own = provider.window() if provider.window else 0
    return min(filter(None, (own, abilities_of(provider.identity).window)), default=0)


def _window_and_counter(provider: ChatProvider) -> tuple[int, Counter]:
    """The window, and what counts tokens. Without a window no tokenizer is read: it takes long."""
    window = window_of(provider)
    return window, counter_of(provider.identity) if window else estimate_tokens


async def request_that_fits(
    provider: ChatProvider, attempt: Attempt[OutputT], stream: AnswerStream | None = None
) -> Sent:
    """Send a prompt with as many of its passages as the window holds.

    The answer gets what the window leaves, at most the limit of the attempt. How long a prompt is
    follows from the model's tokenizer or the estimate, and from how the server counted earlier
    prompts of this model.

    Args:
        attempt: The prompt, its values, and how to sample.

    Raises:
        ModelUnreachableError: The model does not answer or does not exist.
        CallFailedError: The model refuses this call, does not finish it, or its window is too
            small for the prompt with a single passage.
    """
    name = provider.identity
    window, count = await asyncio.to_thread(_window_and_counter, provider)
    scale = _scales.get((name, count), 1.0)
    prompt, values, sampling = attempt.prompt, attempt.values, attempt.sampling
    schemas, fitted = schemas_of(prompt.output), fit(prompt, values, window, scale, count)
    if fitted is None:
        needed = int(scale * estimate(attempt.messages, count))
        raise CallFailedError(
            f"The prompt is longer than the window of {name} (about {needed:,} tokens "
            f"of {window:,}); lower --set retrieval.k=5 or --set retrieval.snippet_tokens=300, or "
            "use a model with a longer window.",
            reason=Failure.TOO_LONG.value,
        )
    for left in reversed(range(_MOST_TRIES)):
        sized = replace(sampling, max_tokens=min(sampling.max_tokens, fitted.max_tokens))
        timeout = attempt.context.timeout
        try:
            reply = await (provider.send or send)(
                Request(provider, schemas, fitted.messages, sized, timeout, stream)
            )
        except CallFailedError as error:
            if error.reason != Failure.TOO_LONG.value or not error.__cause__ or not left:
                raise
            window = await asyncio.to_thread(window_of, provider)  # the error may have told it
            sent, said = fitted.tokens, length_said(error.__cause__).prompt
            scale = (said or _DENSER * max(scale * sent, window)) / sent
            shorter = fit(prompt, values, window, scale, count)
            if shorter is None or shorter == fitted:
                raise
            fitted = shorter
        else:
            sent = fitted.tokens
            if sent >= _LEARNT_FROM and (reply.input_tokens or 0) > scale * sent:
                _scales[name, count] = min((reply.input_tokens or 0) / sent, _DENSEST)
            return Sent(
                reply, fitted.messages, _note(name, window, fitted) or _cut(reply, sent, name)
            )
    raise AssertionError("the last try returns or raises")


def _cut(reply: Reply, sent: int, name: str) -> str:
    """The note about a server that counted far fewer tokens than it was sent.

    Such as Ollama's endpoint for OpenAI's clients, whose window no request can set. Hopyard
    tells its own client not to cut, and its older servers do not count what is in their cache.
    """
    counted = reply.input_tokens or 0
    if sent < _LEARNT_FROM or not 0 < counted < _FEWER * sent or name.startswith("ollama:"):
        return ""
    return (
        f"{name} counted {counted:,} tokens of a prompt of about {sent:,}: it may have cut its "
        "beginning off; give the server a longer window."
    )


def _note(name: str, window: int, fitted: Fitted) -> str:
    if fitted.shown == fitted.given:
        return ""
    return (
        f"The window of {name} ({window:,} tokens) holds {fitted.shown} of the {fitted.given} "
        f"{fitted.items} found; the model did not read the others."
    )
