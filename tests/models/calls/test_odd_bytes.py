"""Bytes that real servers and gateways have sent, rebuilt from public bug reports.

Streams: openai-python 2722, opencode 50871 (keep-alive), AstrBot 6692 (no index), sglang 3912 and
AIShell 350 (marks of the end), zeroclaw 3723 (half a character), openai-workflow 52 (counts in
every piece). Whole replies: llama.cpp 20198 (arguments as an object), ollama 15288 and helm 3804
(only thoughts), altimate-code 1119 (a page with HTTP 200), mirascope 939 and json_repair 213 (words
after the object), Open-Historia 354 (typographic quotes).
"""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
from protocols import Script

from hopyard.models.calls.parse import parse
from hopyard.models.chat import chat_provider
from hopyard.models.servers import abilities
from hopyard.models.servers.abilities import Abilities, Form
from hopyard.prompts.answer import ANSWER, Answer
from hopyard.state.errors import CallFailedError, ModelUnreachableError
from hopyard.state.settings.fields import Context

from ..asking import asked, model_caller

WHOLE = '{"answer": "Marta Quill"}'
WRONG = '{"answer": "Tomas Reed"}'
HEAD = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
MODELS = ["openai:m", "groq:m", "deepseek:m", "ollama:m", "anthropic:claude-m"]


def event(delta: Any, end: str | None = None, **more: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": end}
    return b"data: " + json.dumps({**HEAD, "choices": [choice], **more}).encode() + b"\n\n"


def stream(*parts: bytes) -> Script:
    return Script(raw=b"".join((*parts[:1], START, *parts[1:])), kind="text/event-stream")


def spoken(text: str = WHOLE) -> bytes:
    return b"".join(event({"content": text[n : n + 5]}) for n in range(0, len(text), 5))


START = event({"role": "assistant", "content": ""})
STOP = event({}, "stop")
DONE = b"data: [DONE]\n\n"


def called(*calls: Any, end: str = "tool_calls", **message: Any) -> Script:
    """A whole reply with tool calls, each given by its name and arguments."""
    tools = [
        {"id": str(number), "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(calls)
    ]
    said = {"role": "assistant", "content": None, "tool_calls": tools or None, **message}
    choice = {"index": 0, "message": said, "finish_reason": end}
    return Script(raw=json.dumps({**HEAD, "choices": [choice]}).encode())


def through_tools(model: str = "openai:m") -> None:
    abilities.remember(chat_provider(model).identity, Abilities(Form.TOOL))


@pytest.mark.filterwarnings("ignore:Pydantic serializer")
@pytest.mark.parametrize(
    "script",
    [
        stream(b": OPENROUTER PROCESSING\n\n", spoken(), b": ping\n\n", STOP, DONE),
        stream(b"id: 1\n" + spoken(), b": ping\n\n", STOP, DONE),
        stream(b"data: : keepalive\n\n", spoken(), STOP, DONE),
        stream(b"", spoken().replace(b"\n", b"\r\n"), STOP, DONE),
        stream(b"", spoken().replace(b"data: ", b"data:"), STOP, DONE),
        stream(b"\xef\xbb\xbf", spoken(), STOP, DONE),
        stream(event(None), spoken(), STOP),
        stream(b'data: {"choices": [], "prompt_filter_results": []}\n\n', spoken(), STOP, DONE),
        stream(b"", spoken(), event({}, "stopstop"), DONE),
        stream(b"", spoken().replace(b"null", b'""'), STOP, DONE),
        stream(b"", spoken().replace(b"null", b'"null"'), STOP, DONE),
        stream(event({"reasoning": f"Is it {WRONG}? No."}), spoken(), STOP, DONE),
        stream(event({"content": f"Is it {WRONG}? No.</think>"}), spoken(), STOP, DONE),
        stream(event({"content": [{"type": "text", "text": WHOLE}]}), STOP, DONE),
        Script(raw=gzip.compress(b"{}")),
        Script(raw=b"", status=204),
        Script(raw=b"", kind="text/event-stream"),
        Script(raw=b"<html>Please sign in</html>", kind="text/html"),
        Script(raw=b"too much traffic\n", status=529, kind="text/plain"),
    ],
)
async def test_a_stream_of_another_form_is_read_or_asked_for_again(
    serve: Any, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopyard.models.calls.request.FIRST_PAUSE", 0.0)
    serve(script, Script(WHOLE))
    output, told = await asked("openai:m")
    assert (output.answer, told.text) == ("Marta Quill", "Marta Quill")
    assert "Tomas" not in told.ever
    [(entry, _)] = model_caller("openai:m").ledger.calls_of("run")
    assert "Tomas" not in entry.output


@pytest.mark.parametrize("index", [{}, {"index": None}, {"index": 0}])
async def test_pieces_of_a_tool_call_without_an_index_are_one_call(serve: Any, index: Any) -> None:
    pieces = [
        event({"tool_calls": [{**index, "id": "1", "function": {"name": "x", "arguments": part}}]})
        for part in (WHOLE[:9], WHOLE[9:])
    ]
    serve(stream(b"", *pieces, event({}, "tool_calls"), DONE), Script(WHOLE))
    through_tools()
    assert (await asked("openai:m"))[0].answer == "Marta Quill"


async def test_half_a_character_at_the_end_is_no_end(serve: Any) -> None:
    raw = event({"content": '{"answer": "Zoé'}).replace(b"\\u00e9", "é".encode())
    server = serve(Script(raw=raw[: raw.index(b"\xc3") + 1], kind="text/event-stream"))
    with pytest.raises(CallFailedError) as raised:
        await asked("openai:m")
    assert raised.value.reason in {"unfinished", "unreadable"}
    assert len(server.requests) == 3
    assert model_caller("openai:m").ledger.parse_rates() == []


async def test_counts_in_every_piece_are_not_added(serve: Any) -> None:
    def count(number: int) -> dict[str, int]:
        return {"prompt_tokens": 90, "completion_tokens": number, "total_tokens": 90 + number}

    pieces = [
        event({"content": WHOLE[n : n + 5]}, usage=count(n // 5 + 1)) for n in range(0, 25, 5)
    ]
    serve(stream(b"", *pieces, event({}, "stop", usage=count(6)), DONE))
    await asked("openai:m")
    [(entry, _)] = model_caller("openai:m").ledger.calls_of("run")
    assert (entry.input_tokens, entry.output_tokens) == (90, 6)


@pytest.mark.parametrize(
    ("model", "arguments"),
    [
        *[
            ("openai:m", text)
            for text in (WHOLE, json.dumps(WHOLE), f"{WHOLE}}}", f"\ufeff{WHOLE}")
        ],
        *[(model, json.loads(WHOLE)) for model in ("openai:m", "groq:m", "deepseek:m")],
    ],
)
async def test_arguments_in_any_form_are_read(serve: Any, model: str, arguments: Any) -> None:
    server = serve(called(("answer_1", arguments)))
    through_tools(model)
    assert (await asked(model, streamed=False))[0].answer == "Marta Quill"
    assert len(server.requests) == 1


@pytest.mark.parametrize("first", [("search", '{"query": "Who?"}'), ("Answer", WRONG)])
async def test_of_two_tool_calls_the_last_counts(serve: Any, first: Any) -> None:
    serve(called(first, ("Answer", json.loads(WHOLE))))
    through_tools()
    assert (await asked("openai:m", streamed=False))[0].answer == "Marta Quill"


async def test_a_call_that_is_cut_after_a_draft_is_asked_for_again(serve: Any) -> None:
    server = serve(called(("Answer", WRONG), ("Answer", WHOLE[:-6])), called(("Answer", WHOLE)))
    through_tools()
    assert (await asked("openai:m", streamed=False))[0].answer == "Marta Quill"
    assert len(server.requests) == 2


@pytest.mark.filterwarnings("ignore:Pydantic serializer")
@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ({"content": None, "reasoning": f"I say {WRONG}"}, "empty"),
        ({"content": "", "reasoning_content": f"I say {WRONG}"}, "empty"),
        ({"content": [{"type": "refusal", "refusal": "I will not."}]}, "refused"),
        ({"content": [{"type": "thinking", "thinking": WRONG}]}, "empty"),
        ({"content": f"<think>I say {WRONG}. Or"}, "empty"),
        ({"content": f"<think>Is it {WRONG}? It", "end": "MAX_TOKENS"}, "empty"),  # Gemini's mark
    ],
)
async def test_a_reply_without_an_answer_is_named(serve: Any, message: Any, reason: str) -> None:
    serve(called(**{"end": "stop", **message}))
    with pytest.raises(CallFailedError) as raised:
        await asked("openai:m", streamed=False)
    assert raised.value.reason == reason


@pytest.mark.parametrize(
    ("model", "body", "said"),
    [
        *[(model, {"detail": "model is loading"}, "model is loading") for model in MODELS],
        ("openai:m", {"error": "upstream is overloaded"}, "upstream is overloaded"),
        ("openai:m", {"success": False, "message": "daily limit reached"}, "daily limit reached"),
        ("openai:m", {"error_code": 17, "error_msg": "daily limit reached"}, "daily limit reached"),
        ("openai:m", [{"error": {"code": 429, "message": "no quota"}}], "HTTP 429, no quota"),
    ],
)
@pytest.mark.parametrize("streamed", [True, False])
async def test_every_client_tells_what_an_error_with_http_200_says(
    serve: Any, monkeypatch: pytest.MonkeyPatch, model: str, body: Any, said: str, streamed: bool
) -> None:
    monkeypatch.setattr("hopyard.models.calls.request.FIRST_PAUSE", 0.0)
    server = serve(Script(raw=json.dumps(body).encode()))
    with pytest.raises(ModelUnreachableError, match=said) as raised:
        await asked(model, streamed=streamed)
    assert raised.value.reason == "busy"
    assert len(server.requests) == 5


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("model", MODELS)
async def test_a_page_with_http_200_is_no_answer(serve: Any, model: str, streamed: bool) -> None:
    page = f"<html><p>Please sign in</p><!-- {WRONG} --></html>".encode()
    serve(Script(raw=page, kind="text/html"))
    with pytest.raises((CallFailedError, ModelUnreachableError)) as raised:
        await asked(model, streamed=streamed)
    assert raised.value.reason in {"unreadable", "busy"}
    assert model_caller(model).ledger.parse_rates() == []


async def test_a_model_whose_tokens_are_denser_gets_fewer_passages(serve: Any) -> None:
    lines = [f"[{number}] Alder Bridge: {'x ' * 390}" for number in range(1, 11)]

    async def passages_of(question: str) -> int:
        values = {"passages": "\n".join(lines), "question": question, "style": "short"}
        await model_caller("openai:m").call(
            ANSWER.of("capable"), values, Context(model="openai:m"), "run"
        )
        return str(server.requests[-1]["messages"][-1]["content"]).count("] Alder Bridge")

    said = {"role": "assistant", "content": '{"answer": "Marta Quill [1]", "passages": [1]}'}
    choice = {"index": 0, "message": said, "finish_reason": "stop"}
    usage = {"prompt_tokens": 4400, "completion_tokens": 9, "total_tokens": 4409}
    server = serve(Script(raw=json.dumps({**HEAD, "choices": [choice], "usage": usage}).encode()))
    abilities.remember(chat_provider("openai:m").identity, Abilities(window=4000))
    assert await passages_of("Who built it?") == 10  # about 2,300 tokens
    assert await passages_of("When was it built?") < 9


@pytest.mark.parametrize(
    ("model", "code", "output"),
    [
        ("groq:m", "json_validate_failed", ""),
        ("groq:m", "tool_use_failed", "Tomas Reed"),
        ("openai:m", "json_validate_failed", WRONG[:-4]),
        ("openai:m", "tool_use_failed", f"{WRONG} No, wait."),
    ],
)
async def test_an_output_that_the_server_finds_unfit_is_asked_for_again(
    serve: Any, model: str, code: str, output: str
) -> None:
    error = {"message": "See 'failed_generation'; the tool call did not fit", "code": code}
    body = json.dumps({"error": {**error, "failed_generation": output}}).encode()
    server = serve(Script(raw=body, status=400), Script(WHOLE))
    assert (await asked(model))[0].answer == "Marta Quill"
    assert len(server.requests) == 2
    assert ("response_format" in server.requests[0]) is ("response_format" in server.requests[1])


@pytest.mark.parametrize(
    "block",
    [
        {"type": "thinking", "thinking": f"Is it {WRONG}? No.", "signature": "s"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "text", "text": f"Is it {WRONG}? No. "},
        {"type": "server_tool_use", "id": "1", "name": "web_search", "input": json.loads(WRONG)},
    ],
)
async def test_blocks_before_the_answer_of_anthropic_are_no_answer(serve: Any, block: Any) -> None:
    said = [block, {"type": "text", "text": WHOLE, "citations": None}]
    usage = {"input_tokens": 9, "output_tokens": 4}
    body = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": said}
    body |= {"stop_reason": "end_turn", "stop_sequence": None, "usage": usage}
    server = serve(Script(raw=json.dumps(body).encode()))
    assert (await asked("anthropic:claude-m", streamed=False))[0].answer == "Marta Quill"
    assert len(server.requests) == 1
    [(entry, _)] = model_caller("anthropic:claude-m").ledger.calls_of("run")
    assert parse(entry.output, Answer)[0].answer == "Marta Quill"
