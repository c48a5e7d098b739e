"""One request to a chat model: constrained to a schema, tried again after a transient failure."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence
from langgraph.constants import TAG_NOSTREAM
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from hopyard.models.chat import ChatProvider, Sampling
from hopyard.models.failures import Failure, classify, retry_after, user_error
from hopyard.models.parse import json_schema
from hopyard.models.prompt import OutputT, Prompt
from hopyard.models.stream import AnswerStream, chunk_text

__all__ = ("answer_text", "request")

TRANSPORT_RETRIES: Final = 4
"""Retries after a failed connection or a busy server."""
TIMEOUT_RETRIES: Final = 1
"""Retries after a call that took too long: each costs the whole limit."""
FIRST_PAUSE: Final = 0.5
"""Seconds before the first retry; doubled each time, give or take a half."""
LONGEST_OUTPUT: Final = 100_000
"""Characters kept of one answer: ten times as many as any prompt asks for."""
_UNHEARD: Final = RunnableConfig(tags=[TAG_NOSTREAM])
"""The JSON of a call is not on LangGraph's messages stream."""


async def request(
    provider: ChatProvider,
    prompt: Prompt[OutputT],
    messages: Sequence[BaseMessage],
    sampling: Sampling,
    timeout: float,  # noqa: ASYNC109  (of one try, not of the whole function)
    stream: AnswerStream | None = None,
) -> AIMessage:
    """Send the messages and return the model's answer unchanged.

    Args:
        provider: The model.
        prompt: Gives the schema that the output is constrained to.
        messages: The conversation.
        sampling: How to sample.
        timeout: Seconds that one try may take, and the longest pause between two tries.
        stream: Receives the answer while the model writes it, if the provider can stream.

    Raises:
        ModelUnreachableError: The model does not answer or does not exist.
        CallFailedError: The model refuses this call or does not finish it in time.
        ModelOutputError: The prompt is longer than the model's window.
    """
    model = _constrained(provider, prompt, sampling)
    speaker = None if stream is None else _speaker(provider, prompt, sampling)

    async def ask() -> AIMessage:
        async with asyncio.timeout(timeout):
            if stream is not None and speaker is not None:
                return await _streamed(speaker, messages, stream)
            return _raw(await model.ainvoke(list(messages), _UNHEARD))

    retrying = AsyncRetrying(
        retry=retry_if_exception(lambda error: classify(error) is Failure.TRANSIENT),
        stop=_is_last_try,
        wait=lambda state: min(_pause(state), timeout),
        reraise=True,
    )
    try:
        return await retrying(ask)
    except Exception as error:  # every provider's client has its own exceptions
        if answer := _answer_at_limit(error):
            return answer
        raise user_error(error, provider.identity, provider.cure, timeout) from error


def _is_last_try(state: RetryCallState) -> bool:
    timed_out = isinstance(_error(state), TimeoutError)
    return state.attempt_number > (TIMEOUT_RETRIES if timed_out else TRANSPORT_RETRIES)


def _pause(state: RetryCallState) -> float:
    """Seconds until the next try: what the server asks for, or twice the last pause."""
    asked = retry_after(_error(state))
    backoff = FIRST_PAUSE * 2 ** (state.attempt_number - 1) * random.uniform(0.5, 1.5)  # noqa: S311
    return backoff if asked is None else asked


def _error(state: RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def answer_text(answer: AIMessage) -> str:
    """The JSON text. Some providers send it as arguments of a tool call."""
    if isinstance(answer, AIMessageChunk):
        # LangChain completes the arguments of a streamed call, also where they are cut off.
        return _storable(chunk_text(answer))
    if answer.tool_calls:
        return json.dumps(answer.tool_calls[0]["args"], ensure_ascii=False)
    bad = answer.invalid_tool_calls
    return _storable((bad[0]["args"] if bad else None) or answer.text)


def _storable(text: str) -> str:
    """The text without half characters, which can be neither kept nor sent."""
    return text[:LONGEST_OUTPUT].encode("utf-8", "replace").decode()


def _raw(answer: Any) -> AIMessage:
    """The message itself, which LangChain returns beside the parsed object."""
    raw: AIMessage = answer["raw"] if isinstance(answer, dict) else answer
    return raw


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
    if whole.usage_metadata is None:  # LangChain leaves OpenAI's count of a stream where it is
        whole.usage_metadata = _usage(whole.response_metadata.get("token_usage") or {})
    return whole


def _usage(counted: Mapping[str, Any]) -> UsageMetadata | None:
    """OpenAI's count of tokens as LangChain writes it; None where nothing was counted."""
    if not {"prompt_tokens", "completion_tokens"} <= counted.keys():
        return None
    read, written = counted["prompt_tokens"], counted["completion_tokens"]
    return UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _answer_at_limit(error: Exception) -> AIMessage | None:
    """The answer that reached its token limit, which OpenAI's client raises, not returns.

    It is paid for, and `parse` can often repair it.
    """
    completion: Any = getattr(error, "completion", None)
    try:
        text, usage = completion.choices[0].message.content, completion.usage
        tokens = _usage(usage.model_dump())
    except (AttributeError, IndexError, TypeError):
        return None
    return AIMessage(text or "", usage_metadata=tokens)


def _speaker(
    provider: ChatProvider, prompt: Prompt[OutputT], sampling: Sampling
) -> Runnable[Any, Any] | None:
    """The constrained model without LangChain's parser, which would hold the pieces back.

    None if the parser cannot be removed: then the answer is streamed when it is complete.
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
        pass  # this provider has no JSON schema; most such providers have tools
    try:
        return model.with_structured_output(schema, include_raw=include_raw)
    except NotImplementedError:
        return model  # not constrained: the examples show the form, and `parse` insists on it
