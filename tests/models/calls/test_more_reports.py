"""Further replies and errors of real servers, rebuilt from public bug reports.

Grammars: club-3090 45 (HTTP 500), lrc-ai-assistant 37, llama.cpp 19051 (schema ignored); windows:
llama_index 8046, vllm 33418; ends: litellm 40260, openai-workflow 52 (no finish_reason); thoughts:
sglang 14821 (the object as a thought), omlx 3796 (a cut thought without marks); tool calls:
instructor 840 and 1111 (several at once).
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from protocols import Script

from hopyard.models.chat import chat_provider
from hopyard.models.servers import abilities
from hopyard.models.servers.abilities import Abilities, Form
from hopyard.models.servers.windows import LengthSaid, length_said
from hopyard.state.errors import CallFailedError, ModelOutputError

from ..asking import asked

WHOLE = '{"answer": "Marta Quill"}'
DRAFT = '{"answer": "Tomas Reed"}'
HEAD = {"id": "c", "created": 0, "model": "m"}


def whole(message: dict[str, Any], end: str | None = "stop") -> Script:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": end}
    reply = {**HEAD, "object": "chat.completion", "choices": [choice]}
    return Script(raw=json.dumps(reply).encode())


def stream(*pieces: dict[str, Any], done: bool = True) -> Script:
    """A stream with OpenAI's protocol whose pieces name no `finish_reason` at all."""
    head = {**HEAD, "object": "chat.completion.chunk"}
    events = [{**head, "choices": [{"index": 0, "delta": piece}]} for piece in pieces]
    lines = [f"data: {json.dumps(event)}\n\n" for event in events]
    raw = "".join(lines) + ("data: [DONE]\n\n" if done else "")
    return Script(raw=raw.encode(), kind="text/event-stream")


def calls(*arguments: str) -> dict[str, Any]:
    return {
        "content": None,
        "tool_calls": [
            {
                "id": str(place),
                "type": "function",
                "function": {"name": "Answer", "arguments": each},
            }
            for place, each in enumerate(arguments)
        ],
    }


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize(
    "error",
    [
        'Grammar error: Unimplemented keys: ["propertyNames"]',
        "The provided JSON schema contains features not supported by xgrammar.",
        "failed to parse grammar",
        "Failed to initialize samplers: failed to parse grammar",
        "error parsing grammar: unknown escape at \\d",
        "Invalid JSON schema in format",
        "Unable to compile the schema: unsupported keyword maxLength",
        "This model does not support structured outputs.",
    ],
)
async def test_a_grammar_that_a_server_cannot_make_is_a_refused_schema(
    serve: Any, error: str, status: int
) -> None:
    server = serve(Script(status=status, error=error), Script(WHOLE))
    assert (await asked("openai:m", streamed=False))[0].answer == "Marta Quill"
    assert [("response_format" in each) for each in server.requests] == [True, False]


@pytest.mark.parametrize("error", ["Invalid JSON schema in format", "failed to parse grammar"])
async def test_ollama_that_cannot_make_the_grammar_is_asked_otherwise(
    serve: Any, error: str
) -> None:
    server = serve(Script(status=500, error=error), Script(WHOLE))
    assert (await asked("ollama:m", streamed=False))[0].answer == "Marta Quill"
    assert [isinstance(each.get("format"), dict) for each in server.requests] == [True, False]


async def test_a_server_that_ignores_the_schema_is_asked_again(serve: Any) -> None:
    server = serve(Script("The builder was Marta Quill."), Script(WHOLE))
    assert (await asked("openai:m", streamed=False))[0].answer == "Marta Quill"
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("message", "window", "prompt"),
    [
        ("Requested tokens (2065) exceed context window of 1800", 1800, 2065),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum "
            "context length is 2048 tokens and your request has 1000 input tokens",
            2048,
            1000,
        ),
        (
            "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
            8192,
            9000,
        ),
        (
            "This model's maximum context length is 2048 tokens. However, your prompt contains at "
            "least 2049 input tokens.",
            2048,
            2049,
        ),
        ("prompt is too long: 210000 tokens > 200000 maximum", 200000, 210000),
    ],
)
def test_lengths_in_the_words_of_servers(message: str, window: int, prompt: int) -> None:
    class BadRequestError(Exception):
        status_code = 400

    assert length_said(BadRequestError(message)) == LengthSaid(window, prompt)


async def test_a_stream_without_a_mark_that_ends_is_no_end(serve: Any) -> None:
    server = serve(stream({"content": WHOLE[:9]}, {"content": WHOLE[9:-2]}), Script(WHOLE))
    output, told = await asked("openai:m")
    assert (output.answer, output.cut, told.text) == ("Marta Quill", False, "Marta Quill")
    assert len(server.requests) == 2


async def test_a_whole_object_of_a_server_that_marks_no_end_is_an_answer(serve: Any) -> None:
    server = serve(
        stream({"content": WHOLE[:9]}, {"content": WHOLE[9:]}), whole({"content": WHOLE}, None)
    )
    assert (await asked("openai:m"))[0].answer == "Marta Quill"
    assert len(server.requests) == 2


async def test_a_draft_of_a_server_that_marks_no_end_is_none(serve: Any) -> None:
    serve(stream({"content": f"Maybe {DRAFT}"}, {"content": "? The year in row 3 is 1843."}))
    with pytest.raises((CallFailedError, ModelOutputError)):
        await asked("openai:m")


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
async def test_an_object_in_the_place_of_thoughts_is_no_answer(serve: Any, name: str) -> None:
    server = serve(whole({"content": None, name: DRAFT}), Script(WHOLE))
    assert (await asked("openai:m", streamed=False))[0].answer == "Marta Quill"
    assert len(server.requests) == 2


async def test_a_thought_without_marks_that_is_cut_is_no_answer(serve: Any) -> None:
    thought = f"The user wants the builder. Perhaps {DRAFT} fits. Row 3 says that the bridge"
    server = serve(whole({"content": thought}, "length"), Script(WHOLE))
    assert (await asked("openai:m", streamed=False))[0].answer == "Marta Quill"
    assert len(server.requests) == 2


@pytest.mark.parametrize("streamed", [True, False])
async def test_of_several_tool_calls_the_last_counts_or_none(serve: Any, streamed: bool) -> None:
    several = calls(DRAFT, WHOLE)
    if streamed:
        pieces = [
            {"tool_calls": [{"index": at, **each}]} for at, each in enumerate(several["tool_calls"])
        ]
        first = stream(*pieces)
    else:
        first = whole(several, "tool_calls")
    serve(first, Script(WHOLE))
    abilities.remember(chat_provider("openai:m").identity, Abilities(Form.TOOL))
    output, told = await asked("openai:m", streamed=streamed)
    assert (output.answer, told.text) == ("Marta Quill", "Marta Quill" if streamed else "")
