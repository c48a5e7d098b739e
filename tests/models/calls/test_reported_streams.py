"""Streams that real servers and gateways have sent, rebuilt from public bug reports.

openai-python 2722, opencode 50871 (keep-alive), AstrBot 6692 (no index), sglang 3912 and AIShell
350 (marks of the end), zeroclaw 3723 (half a character), openai-workflow 52 (counts in each piece).
"""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from protocols import Script

from hopyard.state.errors import CallFailedError

from ..asking import (
    DONE,
    WHOLE,
    WRONG,
    asked,
    calls,
    event,
    model_caller,
    reply,
    spoken,
    stream,
    through_tools,
)

pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer")

STOP = event({}, "stop")
NOTHING = b'data: {"choices": [], "prompt_filter_results": []}\n\n'
UNMARKED = spoken().replace(b', "finish_reason": null', b"")


def pieces(*deltas: dict[str, Any]) -> Script:
    """A stream of tool calls."""
    every = (event({"tool_calls": [delta]}) for delta in deltas)
    return stream(b"", *every, event({}, "tool_calls"), DONE)


def halves(**index: Any) -> Script:
    """One tool call in two pieces."""
    parts = (WHOLE[:9], WHOLE[9:])
    return pieces(
        *({**index, "id": "1", "function": {"name": "x", "arguments": part}} for part in parts)
    )


READ = (
    stream(b": OPENROUTER PROCESSING\n\n", spoken(), b": ping\n\n", STOP, DONE),
    stream(b"", spoken().replace(b"\n", b"\r\n"), STOP, DONE),
    stream(b"", spoken().replace(b"data: ", b"data:"), STOP, DONE),
    stream(NOTHING, spoken(), STOP, DONE),
    stream(b"", spoken(), event({}, "stopstop"), DONE),
    stream(b"", spoken().replace(b"null", b'""'), STOP, DONE),
    stream(b"", spoken().replace(b"null", b'"null"'), STOP, DONE),
    stream(event({"reasoning": f"Is it {WRONG}? No."}), spoken(), STOP, DONE),
    stream(event({"content": f"Is it {WRONG}? No.</think>"}), spoken(), STOP, DONE),
    stream(event({"content": [{"type": "text", "text": WHOLE}]}), STOP, DONE),
    stream(b"", UNMARKED, DONE),
)
ASKED_AGAIN = (
    stream(b"data: : keepalive\n\n", spoken(), STOP, DONE),
    stream(event(None), spoken(), STOP),
    stream(b"id: 1\n" + spoken(), b": ping\n\n", STOP, DONE),
    stream(b"\xef\xbb\xbf", spoken(), STOP, DONE),
    Script(raw=gzip.compress(b"{}")),
    Script(raw=b"", status=204),
    Script(raw=b"", kind="text/event-stream"),
    Script(raw=b"<html>Please sign in</html>", kind="text/html"),
    Script(raw=b"too much traffic\n", status=529, kind="text/plain"),
    stream(b"", spoken(WHOLE[:-2]), DONE),
    stream(b"", spoken(f"Maybe {WRONG}? The year in row 3 is 1843."), DONE),
)
CALLS = (halves(), halves(index=None), halves(index=0))
SEVERAL = pieces(*({"index": at, **each} for at, each in enumerate(calls(WRONG, WHOLE))))


@pytest.mark.parametrize(
    ("script", "requests", "tools"),
    [
        *((each, 1, False) for each in READ),
        *((each, 2, False) for each in ASKED_AGAIN),
        *((each, 1, True) for each in CALLS),
        (SEVERAL, 1, True),
    ],
)
async def test_a_stream_of_another_form_is_read_or_asked_for_again(
    serve: Any, script: Script, requests: int, tools: bool
) -> None:
    server = serve(script, Script(WHOLE))
    if tools:
        through_tools()
    output, told = await asked("openai:m")
    assert (output.answer, output.cut, told.text) == ("Marta Quill", False, "Marta Quill")
    assert len(server.requests) == requests
    [*_, (entry, _)] = model_caller("openai:m").ledger.calls_of("run")
    assert tools or "Tomas" not in told.ever + entry.output


BROKEN = b'data: {"choices": [{"index": 0, "delta": {"content": "{"}}]}\n\ndata: upstream error\n\n'


@pytest.mark.parametrize(
    ("script", "tools"),
    [
        (reply({"content": WHOLE}), False),  # a gateway that does not stream
        (Script(raw=BROKEN), False),
        (Script(raw=b'data: {"detail": "model is loading"}\n\n'), False),
        (stream(STOP, DONE), True),  # the call is left out
    ],
)
async def test_a_stream_that_cannot_be_read_is_asked_for_whole(
    serve: Any, script: Script, tools: bool
) -> None:
    server = serve(script, Script(WHOLE))
    if tools:
        through_tools()
    output, told = await asked("openai:m")
    assert (output.answer, told.text) == ("Marta Quill", "Marta Quill")
    assert [bool(each.get("stream")) for each in server.requests] == [True, False]


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

    told = (event({"content": WHOLE[n : n + 5]}, usage=count(n // 5 + 1)) for n in range(0, 25, 5))
    serve(stream(b"", *told, event({}, "stop", usage=count(6)), DONE))
    await asked("openai:m")
    [(entry, _)] = model_caller("openai:m").ledger.calls_of("run")
    assert (entry.input_tokens, entry.output_tokens) == (90, 6)
