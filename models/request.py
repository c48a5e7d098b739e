"""One request to a chat model: constrained to a schema, tried again while a failure is passing."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import Runnable, RunnableSequence

from hopyard.models.chat import ChatProvider, Sampling
from hopyard.models.failures import (
    Failure,
    classify,
    concerns_one_call,
    first_line,
    retry_after,
)
from hopyard.models.parse import json_schema
from hopyard.models.prompt import OutputT, Prompt
from hopyard.models.stream import AnswerStream, chunk_text
from hopyard.state.errors import (
    CallFailedError,
    HopyardError,
    ModelOutputError,
    ModelUnreachableError,
)

__all__ = ("answer_text", "request")

TRANSPORT_RETRIES: Final = 4
"""Times that a failed connection or a busy server is tried again."""
TIMEOUT_RETRIES: Final = 1
"""Times that a call which took too long is tried again: each costs the whole limit."""
FIRST_PAUSE: Final = 0.5
"""Seconds before the first of them; doubled each time, give or take a half."""
LONGEST_OUTPUT: Final = 100_000
"""Characters kept of one answer: ten times what any prompt asks for."""


async def request(
    provider: ChatProvider,
    prompt: Prompt[OutputT],
    messages: Sequence[BaseMessage],
    sampling: Sampling,
    timeout: float,  # noqa: ASYNC109  (the limit of one try, not of the whole)
    stream: AnswerStream | None = None,
) -> AIMessage:
    """Send the messages and give the model's answer as it came.

    Args:
        provider: The model.
        prompt: Gives the schema that the output is constrained to.
        messages: What is sent.
        sampling: How to sample.
        timeout: Seconds that one try may take, and that a server may ask to wait between two.
        stream: Is told the answer while the model writes it, where the provider can stream.

    Raises:
        ModelUnreachableError: The model does not answer, or is not there.
        CallFailedError: The model refuses this call, or does not end it in time.
        ModelOutputError: The prompt is longer than the model's window.
    """
    model = _constrained(provider, prompt, sampling)
    speaker = None if stream is None else _speaker(provider, prompt, sampling)
    pause, timeouts = FIRST_PAUSE, 0
    for left in range(TRANSPORT_RETRIES, -1, -1):
        try:
            async with asyncio.timeout(timeout):
                if stream is not None and speaker is not None:
                    return await _streamed(speaker, messages, stream)
                return _raw(await model.ainvoke(list(messages)))
        except Exception as error:  # every provider's client has a family of its own
            if cut := _cut_off(error):
                return cut
            failure = classify(error)
            timeouts += isinstance(error, TimeoutError)
            given_up = not left or timeouts > TIMEOUT_RETRIES
            if failure is not Failure.TRANSIENT or given_up:
                raise _typed(failure, error, provider, timeout) from error
            wait = retry_after(error)
            wait = pause * random.uniform(0.5, 1.5) if wait is None else wait  # noqa: S311
            await asyncio.sleep(min(wait, timeout))
            pause *= 2
    raise AssertionError("the last try returns or raises")


def answer_text(answer: AIMessage) -> str:
    """The JSON text, which some providers give as the arguments of a tool call."""
    if answer.tool_calls:
        return json.dumps(answer.tool_calls[0]["args"], ensure_ascii=False)
    bad = answer.invalid_tool_calls
    text = (bad[0]["args"] if bad else None) or answer.text
    text = text[:LONGEST_OUTPUT]
    return text.encode("utf-8", "replace").decode()  # half a character can be neither kept nor sent


def _raw(answer: Any) -> AIMessage:
    """The message itself, which LangChain gives beside what it has parsed."""
    raw: AIMessage = answer["raw"] if isinstance(answer, dict) else answer
    return raw


async def _streamed(
    model: Runnable[Any, Any], messages: Sequence[BaseMessage], stream: AnswerStream
) -> AIMessage:
    """The whole message, each piece told as it comes; a model that cannot stream gives one."""
    stream.restart()
    whole: AIMessage | None = None
    async for piece in model.astream(list(messages)):
        stream.feed(chunk_text(piece))
        both = isinstance(whole, AIMessageChunk) and isinstance(piece, AIMessageChunk)
        whole = whole + piece if both else piece
    if whole is None:
        raise ConnectionError("the stream ended without an answer")
    return whole


def _cut_off(error: Exception) -> AIMessage | None:
    """The answer that ran into its token limit, which OpenAI's client raises and does not give.

    It was paid for, and `parse` can often repair it.
    """
    completion: Any = getattr(error, "completion", None)
    try:
        text, usage = completion.choices[0].message.content, completion.usage
        tokens = UsageMetadata(
            input_tokens=usage.prompt_tokens,
            output_tokens=usage.completion_tokens,
            total_tokens=usage.total_tokens,
        )
    except (AttributeError, IndexError, TypeError):
        return None
    return AIMessage(text or "", usage_metadata=tokens)


def _speaker(
    provider: ChatProvider, prompt: Prompt[OutputT], sampling: Sampling
) -> Runnable[Any, Any] | None:
    """The constrained model without LangChain's parser, which would hold its pieces back.

    None where the two cannot be told apart: the answer is then told when it is whole.
    """
    model = _constrained(provider, prompt, sampling, include_raw=False)
    if isinstance(model, RunnableSequence):
        speaker: Runnable[Any, Any] = model.first
        return speaker
    return model if isinstance(model, BaseChatModel) else None


def _constrained(
    provider: ChatProvider,
    prompt: Prompt[OutputT],
    sampling: Sampling,
    *,
    include_raw: bool = True,
) -> Runnable[Any, Any]:
    model = provider.connect(sampling)
    schema = {"title": prompt.output.__name__, **json_schema(prompt.output)}
    try:
        return model.with_structured_output(schema, method="json_schema", include_raw=include_raw)
    except (NotImplementedError, TypeError, ValueError):
        pass  # this provider has no JSON schema; most of those have tools
    try:
        return model.with_structured_output(schema, include_raw=include_raw)
    except NotImplementedError:
        return model  # not constrained: the examples show the form, and `parse` insists on it


def _typed(
    failure: Failure, error: Exception, provider: ChatProvider, timeout: float
) -> HopyardError:
    name, cure = provider.identity, provider.cure
    if failure is Failure.TOO_LONG:
        return ModelOutputError(
            f"The prompt is longer than the window of {name}; lower --set "
            "retrieval.k=5 or --set retrieval.snippet_tokens=300."
        )
    if failure is Failure.MISSING:
        return ModelUnreachableError(f"The model {name} is not there: {cure}.")
    if failure is Failure.UNREACHABLE:
        return ModelUnreachableError(f"The model {name} does not answer: {cure}.")
    if isinstance(error, TimeoutError):
        return CallFailedError(
            f"The model {name} did not answer in {timeout:g} s: raise it with --set timeout=300, "
            f"or {cure}."
        )
    one_call = failure is Failure.REFUSED and concerns_one_call(error)
    kind = CallFailedError if one_call else ModelUnreachableError
    return kind(f"The model {name} failed ({first_line(error)}): {cure}.")
