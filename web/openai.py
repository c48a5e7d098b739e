"""The endpoint that OpenAI clients talk to: `/v1/models` and `/v1/chat/completions`.

A client sends the whole conversation each time. A conversation whose last answer came from here
continues its thread; any other begins a thread. Prompts about the conversation (`chats.py`) are
answered by the chat model alone, and make no turn of a thread. A client stops an answer by closing
its connection: the run stops, and the page can continue it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import suppress
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from hopyard.agent.session import Session
from hopyard.models.chat import Sampling, chat_provider
from hopyard.state.errors import HopyardError, ThreadBusyError, ThreadMissingError, UsageError
from hopyard.state.settings.fields import Context
from hopyard.web.chats import PLAIN, WITH_LINKS, Chat, Conversations, is_about_the_chat, read_chat
from hopyard.web.completion import Completion, chunk_line, frame
from hopyard.web.requests import json_body, person_of, refused
from hopyard.web.runs import Runs

__all__ = ("chat_completions", "model", "models", "unknown")

_MODELS: Final = {
    name: {"id": name, "object": "model", "created": int(time.time()), "owned_by": "hopyard"}
    for name in (PLAIN, WITH_LINKS)
}
_OPEN_WEBUI: Final = "aiohttp/"
"""Its library: it has no name of its own."""
_log = logging.getLogger(__name__)


async def models(request: Request) -> Response:
    """The models that a client may choose."""
    del request
    return JSONResponse({"object": "list", "data": [*_MODELS.values()]})


async def model(request: Request) -> Response:
    """One of the models."""
    name = request.path_params["name"]
    return JSONResponse(_MODELS[name]) if name in _MODELS else _no_model(name)


async def unknown(request: Request) -> Response:
    """The answer at an address of OpenAI's API that is not served."""
    why = (
        f"There is no {request.url.path}: the server has /v1/models and POST /v1/chat/completions."
    )
    return refused(404, why)


async def chat_completions(request: Request) -> Response:
    """Answer the last message of a conversation, at once or as it is written."""
    runs: Runs = request.app.state.runs
    person = person_of(request)
    conversations: Conversations = request.app.state.conversations[person.name]
    try:
        chat = read_chat(await json_body(request))
        if is_about_the_chat(chat, conversations):
            return await _answer_alone(runs.given.context, chat)
        if chat.model not in _MODELS:
            return _no_model(chat.model)
        if chat.form:
            raise UsageError(f"Answers are text: leave out `{chat.form}`.")
        *history, last = chat.said
        thread, turns = conversations.take(history)
        if thread and await _count_questions(runs.session, thread) != turns:
            thread, turns = "", 0  # deleted, or continued on the page: another conversation
        run = runs.ask(last.text, thread, () if thread else history, person=person)
    except ThreadBusyError as error:
        return refused(409, str(error))
    except UsageError as error:
        return refused(400, str(error))
    annotated = _OPEN_WEBUI not in request.headers.get("user-agent", "")
    completion = Completion(run, chat, str(request.base_url), turns + 1, annotated=annotated)

    def stop() -> None:
        runs.abandon(run)

    if chat.stream:
        return _Stream(completion.chunks(conversations), stop)
    return await _unless_left(request, completion.whole(conversations), stop)


async def _count_questions(session: Session, thread: str) -> int:
    """How many questions a thread has; 0 if there is no such thread."""
    try:
        await session.context(thread)
    except ThreadMissingError:
        return 0
    return len(await session.earlier(thread)) + 1


class _Stream(StreamingResponse):
    """A stream that tells when its client has gone, but not when the server ends."""

    def __init__(self, lines: AsyncIterator[str], left: Callable[[], None]) -> None:
        headers = {"x-accel-buffering": "no"}  # nginx would hold the answer back
        super().__init__(lines, headers=headers, media_type="text/event-stream")
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the lines until their end, or until the client goes."""
        with suppress(ClientDisconnect):
            await super().__call__(scope, receive, send)
        self._left()


async def _unless_left(
    request: Request, answer: Awaitable[Response], left: Callable[[], None]
) -> Response:
    """Wait for an answer. If the client goes before, say so to `left`, which stops it."""

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        left()

    watching = asyncio.create_task(watch())
    try:
        return await answer
    finally:
        watching.cancel()


async def _answer_alone(context: Context, chat: Chat) -> Response:
    """Let the chat model answer a prompt about the conversation."""
    try:
        provider = chat_provider(context.model)
        if provider.prepare:
            await asyncio.to_thread(provider.prepare)
        sampling = Sampling(max_tokens=chat.task_tokens, temperature=0.0, seed=context.seed)
        connected = await asyncio.to_thread(provider.connect, sampling)
        text = str((await connected.ainvoke(chat.messages)).text)
        if chat.field and not text.lstrip().startswith("{"):  # the model was not told of the form
            text = json.dumps({chat.field: text.strip()}, ensure_ascii=False)
    except HopyardError as error:
        return refused(502, str(error))
    except Exception:  # The boundary of a call: the log has the error, the client a sentence.
        _log.exception("The model %r did not answer a prompt about a conversation", context.model)
        return refused(502, "The model did not answer; the server's log says why.")
    begun = frame(chat.model)
    if not chat.stream:
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return JSONResponse({**begun, "object": "chat.completion", "choices": [choice]})

    async def lines() -> AsyncGenerator[str, None]:
        yield chunk_line(begun, {"role": "assistant", "content": text})
        yield chunk_line(begun, {}, "stop")
        yield "data: [DONE]\n\n"

    return StreamingResponse(lines(), media_type="text/event-stream")


def _no_model(name: str) -> Response:
    why = f"There is no model {name!r}; the models are {PLAIN} and {WITH_LINKS}."
    return refused(404, why, "model_not_found")
