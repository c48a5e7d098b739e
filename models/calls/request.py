"""One request to a chat model: constrained to a schema, sent again after a passing failure."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from hopyard.models.calls.asked_schema import asked_schema
from hopyard.models.calls.parse import json_schema
from hopyard.models.calls.reply import Ending, Reply, read_reply, storable
from hopyard.models.calls.stream import AnswerStream, chunk_text
from hopyard.models.chat import ChatProvider, Sampling
from hopyard.models.prompt import OutputT, Prompt
from hopyard.models.servers.abilities import (
    VARIANTS,
    Abilities,
    Form,
    abilities_of,
    constrained,
    keep,
    remember,
    without_refused,
)
from hopyard.models.servers.failures import RETRIES, classify, retry_after, user_error
from hopyard.models.servers.windows import length_said
from hopyard.state.errors import HopyardError

__all__ = ("request",)

FIRST_PAUSE: Final = 0.5
"""Seconds before the first retry; doubled each time, give or take a half."""
_UNHEARD: Final = RunnableConfig(tags=[TAG_NOSTREAM])
"""The JSON of a call is not on LangGraph's messages stream."""


async def request(
    provider: ChatProvider,
    prompt: Prompt[OutputT],
    messages: Sequence[BaseMessage],
    sampling: Sampling,
    timeout: float,  # noqa: ASYNC109  (of one try, not of the whole function)
    stream: AnswerStream | None = None,
) -> Reply:
    """Send the messages and return the model's reply.

    What the server refuses is left out from then on (`models.servers.abilities`).

    Args:
        provider: The model.
        prompt: Gives the schema that the output is constrained to.
        messages: The conversation.
        sampling: How to sample.
        timeout: Seconds that one try may take, and the longest pause between two tries.
        stream: Receives the answer while the model writes it, if the provider can stream.

    Raises:
        ModelUnreachableError: The model does not answer or does not exist.
        CallFailedError: The model refuses this call, does not finish it, or its window is too
            small for the prompt.
    """
    name, refused = provider.identity, False
    while True:
        abilities = await asyncio.to_thread(abilities_of, name)
        schema = _schema(prompt, provider, abilities)
        try:
            reply = await _retried(provider, schema, messages, sampling, timeout, stream, abilities)
        except HopyardError:  # a wrong name, or a reply that is a refusal
            raise
        except Exception as error:  # every provider's client has its own exceptions
            weaker = without_refused(abilities, error)
            if weaker is None:
                await asyncio.to_thread(_keep_window, name, error)
                raise user_error(error, name, provider.cure, timeout) from error
            refused = True
            if abilities_of(name) == abilities:  # no call beside this one was faster
                remember(name, weaker)
        else:
            if refused:  # the server accepts what is left, so the refusal was no passing fault
                await asyncio.to_thread(keep, name, abilities)
            return reply


def _keep_window(name: str, error: Exception) -> None:
    """Keep the window that a server's error tells."""
    known, window = abilities_of(name), length_said(error).window
    if window and window != known.window:
        keep(name, replace(known, window=window))


def _schema(
    prompt: Prompt[OutputT], provider: ChatProvider, abilities: Abilities
) -> dict[str, Any]:
    """The schema that the model is asked to keep to."""
    if provider.schema == "own":
        return {"title": prompt.output.__name__, **json_schema(prompt.output)}
    variants = provider.schema == "variants" and abilities.form is Form.JSON_SCHEMA
    return asked_schema(prompt.output, variants=variants and VARIANTS not in abilities.left_out)


async def _retried(
    provider: ChatProvider,
    schema: dict[str, Any],
    messages: Sequence[BaseMessage],
    sampling: Sampling,
    timeout: float,  # noqa: ASYNC109
    stream: AnswerStream | None,
    abilities: Abilities,
) -> Reply:
    """The reply, asked for again after passing failures as `RETRIES` says."""
    if abilities.longest_answer:
        limit = min(sampling.max_tokens, abilities.longest_answer)
        sampling = replace(sampling, max_tokens=limit)
    connected = provider.connect(sampling)
    model, kind = constrained(connected, schema, abilities), type(connected)
    asked = _with_schema(messages, schema) if abilities.in_prompt else list(messages)

    async def ask() -> Reply:
        async with asyncio.timeout(timeout):
            try:
                if stream is not None and isinstance(connected, BaseChatModel):
                    message = await _streamed(model, asked, stream)
                else:
                    message = await model.ainvoke(asked, _UNHEARD)
            except Exception as error:
                if cut := _cut_reply(error):
                    return cut
                raise
            return read_reply(message, provider.identity, kind, sampling.max_tokens)

    retrying = AsyncRetrying(
        retry=retry_if_exception(
            lambda error: classify(error) in RETRIES and without_refused(abilities, error) is None
        ),
        stop=_is_last_try,
        wait=lambda state: min(_pause(state), timeout),
        reraise=True,
    )
    return await retrying(ask)


def _with_schema(messages: Sequence[BaseMessage], schema: dict[str, Any]) -> list[BaseMessage]:
    """The messages with the schema in the last one, for servers that know no schemas."""
    *before, last = messages
    shown = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    told = f"{last.text}\n\nAnswer with one JSON object that fits this JSON schema:\n{shown}"
    return [*before, HumanMessage(told)]


def _is_last_try(state: RetryCallState) -> bool:
    error = _error(state)
    return error is None or state.attempt_number > RETRIES.get(classify(error), 0)


def _pause(state: RetryCallState) -> float:
    """Seconds until the next try: what the server asks for, or twice the last pause."""
    asked = retry_after(_error(state))
    backoff = FIRST_PAUSE * 2 ** (state.attempt_number - 1) * random.uniform(0.5, 1.5)  # noqa: S311
    return backoff if asked is None else asked


def _error(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


async def _streamed(
    model: Runnable[Any, Any], messages: Sequence[BaseMessage], stream: AnswerStream
) -> AIMessage:
    """The whole message. Each piece is streamed as it arrives; some models send a single one."""
    stream.restart()
    whole: AIMessage | None = None
    async for piece in model.astream(list(messages), _UNHEARD):
        stream.feed(chunk_text(piece))
        both = isinstance(whole, AIMessageChunk) and isinstance(piece, AIMessageChunk)
        whole = whole + piece if both else piece
    if whole is None:
        raise ConnectionError("the stream ended without an answer")
    return whole


def _cut_reply(error: Exception) -> Reply | None:
    """The reply that reached its token limit, which OpenAI's client raises, not returns.

    It is paid for, and `parse` can often repair it.
    """
    completion: Any = getattr(error, "completion", None)
    try:
        choice, usage = completion.choices[0], completion.usage
        text = choice.message.content
    except (AttributeError, IndexError, TypeError):
        return None
    if choice.finish_reason != "length":
        return None
    return Reply(
        text=storable(text or ""),
        ending=Ending.CUT,
        input_tokens=getattr(usage, "prompt_tokens", None),
        output_tokens=getattr(usage, "completion_tokens", None),
    )
