"""Replies that real servers and gateways have sent, rebuilt from public bug reports.

Marks: claw-os 11, denkeeper 221; Ollama: ollama 16184, promptfoo 10954; errors with HTTP 200 and
within streams: llmgateway 3616, agentgateway 1340, llmr 11; Gemini's delay: jp 1061, sub2api 5443;
no credit: continue 9853; tool calls: pydantic-ai 3571, openai-agents-python 227, core 1140, omlx
3153, mlx-serve 287; content as parts: agent-framework 6978, integration_openai 408. Null from
clients of MCP: openclaw 96716 (`tests/server/test_mcp_documents.py`).
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from protocols import Script

from hopyard.models.calls.parse import parse
from hopyard.models.calls.reply import Ending, read_reply
from hopyard.models.chat import chat_provider
from hopyard.models.servers import abilities
from hopyard.models.servers.abilities import Abilities, Form
from hopyard.prompts.answer import Answer
from hopyard.state.errors import CallFailedError, ModelUnreachableError

from ..asking import asked, model_caller

WHOLE = '{"answer": "Marta Quill"}'
DRAFT = 'Maybe {"answer": "Tomas Reed"}? No, it is '
"""The answer would have come next."""
EVENTS = "text/event-stream"
HEAD = {"id": "c", "created": 0, "model": "m"}


def whole(message: dict[str, Any], end: str = "stop") -> Script:
    """A reply with OpenAI's protocol, as it is."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": end}
    reply = {**HEAD, "object": "chat.completion", "choices": [choice]}
    return Script(raw=json.dumps(reply).encode())


@pytest.mark.parametrize(
    "end",
    # DeepSeek's, Z.ai's, vLLM's, Gemini's and Anthropic's marks, and one that nobody knows.
    ["insufficient_system_resource", "network_error", "repetition", "other", "pause_turn", "new"],
)
async def test_a_mark_that_proves_no_end_makes_no_draft_an_answer(serve: Any, end: str) -> None:
    server = serve(whole({"content": DRAFT}, end), Script(WHOLE))
    assert (await asked("openai:m", streamed=False))[0].answer == "Marta Quill"
    assert len(server.requests) == 2


async def test_an_unknown_mark_after_a_whole_object_is_no_fault(serve: Any) -> None:
    server = serve(whole({"content": f"Here:\n```json\n{WHOLE}\n```"}, "done_by_new_server"))
    assert (await asked("openai:m", streamed=False))[0].answer == "Marta Quill"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("mark", "ending"), [("stopstop", Ending.FINISHED), ("lengthlength", Ending.CUT)]
)
def test_a_mark_in_two_pieces_of_a_stream_is_one_mark(mark: str, ending: Ending) -> None:
    message = AIMessage(f"{WHOLE} Done.", response_metadata={"finish_reason": mark})
    assert read_reply(message, "m", BaseChatModel, 64).ending is ending


async def test_a_filter_of_another_name_is_one(serve: Any) -> None:
    serve(whole({"content": DRAFT}, "sensitive"))  # Z.ai
    with pytest.raises(CallFailedError) as raised:
        await asked("openai:m", streamed=False)
    assert raised.value.reason == "filtered"


@pytest.mark.parametrize("reason", ["load", "unload"])
async def test_ollama_stopped_by_a_change_of_models_is_asked_again(serve: Any, reason: str) -> None:
    content = "" if reason == "load" else DRAFT
    reply = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": True}
    reply |= {"message": {"role": "assistant", "content": content}, "done_reason": reason}
    server = serve(Script(raw=json.dumps(reply).encode()), Script(WHOLE))
    assert (await asked("ollama:m"))[0].answer == "Marta Quill"
    assert len(server.requests) == 2


@pytest.mark.parametrize("model", ["openai:m", "deepseek:m"])
async def test_a_wrong_key_told_with_http_200_is_not_tried_again(serve: Any, model: str) -> None:
    server = serve(Script(raw=b'{"error": {"message": "no such key", "code": 401}}'))
    with pytest.raises(ModelUnreachableError, match="no such key") as raised:
        await asked(model, streamed=False)
    assert raised.value.reason == "denied"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "raw",
    [
        whole({"content": WHOLE}).raw,  # a gateway that does not stream
        b'data: {"choices": [{"index": 0, "delta": {"content": "{"}}]}\n\ndata: upstream error\n\n',
        b'data: {"detail": "model is loading"}\n\n',
    ],
)
async def test_a_stream_that_cannot_be_read_is_asked_for_whole(serve: Any, raw: bytes) -> None:
    server = serve(Script(raw=raw), Script(WHOLE))
    output, told = await asked("openai:m")
    assert (output.answer, told.text) == ("Marta Quill", "Marta Quill")
    assert [bool(each.get("stream")) for each in server.requests] == [True, False]


@pytest.mark.parametrize("arguments", [None, "", '"x"', 7])
async def test_arguments_of_a_tool_call_that_are_no_object_as_text_are_asked_for_again(
    serve: Any, arguments: Any
) -> None:
    function = {"name": "Answer", "arguments": arguments}
    call = {"id": "1", "type": "function", "function": function}
    server = serve(whole({"content": None, "tool_calls": [call]}, "tool_calls"), Script(WHOLE))
    abilities.remember(chat_provider("openai:m").identity, Abilities(Form.TOOL))
    assert (await asked("openai:m", streamed=False))[0].answer == "Marta Quill"
    assert len(server.requests) == 2


async def test_a_tool_call_that_a_server_leaves_out_of_its_stream_is_asked_for_whole(
    serve: Any,
) -> None:
    nothing = {**HEAD, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    script = Script(raw=f"data: {json.dumps(nothing)}\n\ndata: [DONE]\n\n".encode(), kind=EVENTS)
    server = serve(script, Script(WHOLE))
    abilities.remember(chat_provider("openai:m").identity, Abilities(Form.TOOL))
    assert (await asked("openai:m"))[0].answer == "Marta Quill"
    assert [bool(each.get("stream")) for each in server.requests] == [True, False]


@pytest.mark.filterwarnings("ignore:Pydantic serializer")
async def test_thoughts_as_parts_of_the_content_are_no_answer(serve: Any) -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": DRAFT}]}
    serve(whole({"content": [thought, {"type": "text", "text": WHOLE}]}))  # Mistral
    assert (await asked("openai:m", streamed=False))[0].answer == "Marta Quill"
    [(entry, _)] = model_caller("openai:m").ledger.calls_of("run")
    assert entry.output == WHOLE


@pytest.mark.parametrize(
    "text",
    [
        f'{{"Answer": {WHOLE}}}',
        f'{{"name": "Answer", "arguments": {WHOLE}}}',
        f'<tool_call>\n{{"name": "Answer", "parameters": {WHOLE}}}\n</tool_call>',
    ],
)
def test_an_object_in_the_wrapping_of_a_tool_call_is_read(text: str) -> None:
    assert parse(text, Answer)[0].answer == "Marta Quill"


def test_a_draft_in_another_wrapping_is_not_read() -> None:
    with pytest.raises(ValueError, match="Field required"):
        parse('{"draft": {"answer": "Tomas Reed"}}', Answer)
