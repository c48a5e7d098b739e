"""One request to a chat model: constrained to a schema, sent again after a passing failure."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from hopyard.models.calls.asked_schema import asked_schema
from hopyard.models.calls.parse import json_schema
from hopyard.models.calls.reply import Ending, Reply, read_reply
from hopyard.models.calls.stream import AnswerStream, chunk_text
from hopyard.models.chat import ChatProvider, Sampling
from hopyard.models.prompt import Output
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
from hopyard.models.servers.advice import user_error
from hopyard.models.servers.failures import RETRIES, Failure, classify, failed_output, retry_after
from hopyard.models.servers.windows import length_said
from hopyard.state.errors import HopyardError

FIRST_PAUSE: Final = 0.5
"""Seconds before the first retry; doubled each time, give or take a half."""
_UNHEARD: Final = RunnableConfig(tags=[TAG_NOSTREAM])
"""The JSON of a call is not on LangGraph's messages stream."""


@dataclass(frozen=True)
class Schemas:
    """The JSON schemas of an output, as plain values: another machine may send the request.

    Attributes:
        title: The name of the output.
        own: The schema that the built-in model learned.
        narrow: `asked_schema`.
        variants: The same with a variant for each kind.
    """

    title: str
    own: dict[str, Any]
    narrow: dict[str, Any]
    variants: dict[str, Any]


@lru_cache(maxsize=256)
def schemas_of(output: type[Output]) -> Schemas:
    """The schemas of an output."""
    name = output.__name__
    narrow, variants = (asked_schema(output, variants=each) for each in (False, True))
    return Schemas(name, {"title": name, **json_schema(output)}, narrow, variants)


@dataclass(frozen=True)
class Request:
    """One request.

    Attributes:
        schemas: They constrain the reply.
        timeout: Seconds that one try may take, and the longest pause between two tries.
        stream: Receives the answer while the model writes it, if the provider can stream.
    """

    provider: ChatProvider
    schemas: Schemas
    messages: Sequence[BaseMessage]
    sampling: Sampling
    timeout: float
    stream: AnswerStream | None = None

    def schema(self, abilities: Abilities) -> dict[str, Any]:
        """The schema that the model is asked to keep to."""
        form, kind = abilities.form_of(self.schemas.title), self.provider.schema
        if kind == "variants" and (form is not Form.JSON_SCHEMA or VARIANTS in abilities.left_out):
            kind = "narrow"
        found: dict[str, Any] = getattr(self.schemas, kind)
        return deepcopy(found)  # LangChain may change it


async def send(request: Request) -> Reply:
    """Send a request and return the model's reply.

    An option that the server refuses is left out from then on (`models.servers.abilities`).

    Raises:
        ModelUnreachableError: The model does not answer or does not exist.
        CallFailedError: The model refuses this call, does not finish it, or its window is too
            small for the prompt.
    """
    name, refused = request.provider.identity, False
    while True:
        abilities = await asyncio.to_thread(abilities_of, name)
        try:
            reply = await _retried(request, abilities)
        except HopyardError:  # A wrong name, or a reply that is a refusal.
            raise
        except Exception as error:  # Every provider's client has its own exceptions.
            weaker = without_refused(abilities, error, request.schemas.title)
            if weaker is None:
                await asyncio.to_thread(keep_window, name, error)
                cure = request.provider.cure
                raise user_error(error, name, cure, request.timeout) from error
            refused = True
            if abilities_of(name) == abilities:  # No call beside this was faster.
                remember(name, weaker)
        else:
            if refused:  # The server accepts the rest: it was no passing fault.
                await asyncio.to_thread(keep, name, abilities)
            return reply


def keep_window(name: str, error: Exception) -> None:
    """Keep the window that a server's error tells."""
    known, window = abilities_of(name), length_said(error).window
    if window and window != known.window:
        keep(name, replace(known, window=window))


async def _retried(request: Request, abilities: Abilities) -> Reply:
    """The reply, asked for again after passing failures as `RETRIES` says."""
    sampling, title = request.sampling, request.schemas.title
    if abilities.longest_answer:
        limit = min(sampling.max_tokens, abilities.longest_answer)
        sampling = replace(sampling, max_tokens=limit)
    connected = request.provider.connect(sampling)
    schema, form = request.schema(abilities), abilities.form_of(title)
    model, messages = constrained(connected, schema, form, abilities.left_out), request.messages
    if form.in_prompt:
        messages = _with_schema(messages, schema)
    stream = request.stream if isinstance(connected, BaseChatModel) else None

    async def ask() -> Reply:
        nonlocal stream
        async with asyncio.timeout(request.timeout):
            try:
                if stream is not None:
                    message = await _streamed(model, messages, stream)
                else:
                    message = await model.ainvoke(list(messages), _UNHEARD)
            except Exception as error:
                found = _cut_reply(error)
                if found is None:
                    if classify(error) is Failure.UNREADABLE:
                        stream = None  # The server may not stream, or its client cannot read it.
                    if (output := failed_output(error)) is None:
                        raise
                    found = AIMessage(output, response_metadata={"finish_reason": "stop"})
                message = found
            name, kind = request.provider.identity, type(connected)
            reply = read_reply(message, name, kind, sampling.max_tokens)
        if stream is None or reply.text or form is not Form.TOOL or reply.ending is Ending.CUT:
            return reply
        stream = None  # The server may not stream tool calls.
        return await ask()

    def passes(error: BaseException) -> bool:
        return classify(error) in RETRIES and without_refused(abilities, error, title) is None

    retrying = AsyncRetrying(
        retry=retry_if_exception(passes),
        stop=_is_last_try,
        wait=lambda state: min(_pause(state), request.timeout),
        reraise=True,
    )
    return await retrying(ask)


def _with_schema(messages: Sequence[BaseMessage], schema: dict[str, Any]) -> list[BaseMessage]:
    """The messages with the schema in the last message, for servers that know no schemas."""
    *before, last = messages
    shown = json.dumps(schema, ensure_ascii=False, separators=(",", ":"))
    told = f"{last.text}\n\nAnswer with one JSON object that fits this JSON schema:\n{shown}"
    return [*before, HumanMessage(told)]


def _is_last_try(state: RetryCallState) -> bool:
    error = _error(state)
    return error is None or state.attempt_number > RETRIES.get(classify(error), 0)


def _pause(state: RetryCallState) -> float:
    """Seconds until the next try: as long as the server asks, or twice the last pause."""
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
    counts: list[UsageMetadata] = []
    async for piece in model.astream(list(messages), _UNHEARD):
        stream.feed(chunk_text(piece))
        both = isinstance(whole, AIMessageChunk) and isinstance(piece, AIMessageChunk)
        whole = whole + piece if both else piece
        counts += [piece.usage_metadata] if piece.usage_metadata else []
    if whole is None:
        raise ConnectionError("the stream ended without an answer")
    if sum(bool(count["input_tokens"]) for count in counts) > 1:
        whole.usage_metadata = counts[-1]  # each piece counts all that came so far; LangChain adds
    return whole


def _cut_reply(error: Exception) -> AIMessage | None:
    """The reply that reached its token limit, which OpenAI's client raises, not returns.

    It is paid for, and `parse` can often repair it.
    """
    completion: Any = getattr(error, "completion", None)
    try:
        choice, usage = completion.choices[0], completion.usage
        text = choice.message.content or ""
    except (AttributeError, IndexError, TypeError):
        return None
    if choice.finish_reason != "length":
        return None
    counted = {"token_usage": usage.model_dump()} if usage else {}
    return AIMessage(text, response_metadata={"finish_reason": "length", **counted})
