"""Replies and errors that real servers and gateways have sent, rebuilt from public bug reports.

Ends: claw-os 11, denkeeper 221, litellm 40260, openai-workflow 52, sglang 3912, AIShell 350;
thoughts: sglang 14821, omlx 3796, ollama 15288, helm 3804; tool calls: pydantic-ai 3571,
openai-agents-python 227, core 1140, omlx 3153, mlx-serve 287, instructor 840 and 1111, llama.cpp
20198; content as parts: agent-framework 6978, integration_openai 408; grammars: club-3090 45,
lrc-ai-assistant 37, llama.cpp 19051; Ollama: ollama 16184, promptfoo 10954; errors with HTTP 200:
llmgateway 3616, agentgateway 1340, llmr 11, altimate-code 1119; Gemini's delay: jp 1061, sub2api
5443; no credit: continue 9853; windows: llama_index 8046, vllm 33418; words after the object:
mirascope 939, json_repair 213. Null from clients of MCP: openclaw 96716
(`tests/server/test_mcp_documents.py`).
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
from hopyard.models.servers.abilities import Abilities
from hopyard.models.servers.windows import LengthSaid, length_said
from hopyard.prompts.answer import ANSWER, Answer
from hopyard.state.errors import CallFailedError, ModelOutputError, ModelUnreachableError
from hopyard.state.settings.fields import Context

from ..asking import WHOLE, WRONG, asked, called, model_caller, reply, through_tools

pytestmark = pytest.mark.filterwarnings("ignore:Pydantic serializer")

MODELS = ["openai:m", "groq:m", "deepseek:m", "ollama:m", "anthropic:claude-m"]
DRAFT = f"Maybe {WRONG}? No, it is "
"""The answer would have come next."""
CUT_THOUGHT = f"The user wants the builder. Perhaps {WRONG} fits. Row 3 says that the bridge"
ENDS = ("insufficient_system_resource", "network_error", "repetition", "other", "pause_turn", "new")
"""DeepSeek's, Z.ai's, vLLM's, Gemini's and Anthropic's marks, and one that nobody knows."""
TAKEN_BACK = (
    f"Maybe {WRONG}? No, it is Marta Quill.",
    f"{WRONG}\n\nWait, passage 2 says Marta Quill.",
    f"```json\n{WRONG}\n```\nHowever, this is wrong: it was Marta Quill.",
    "Maybe {'answer': 'Tomas Reed'}? No, Marta Quill.",
    f"{WRONG} 不对，应该是 Marta Quill。",
    f"{WRONG} Nein, das stimmt nicht.",
    f"{WRONG} That should be Marta Quill. Do not hesitate to ask.",
    f"{WRONG}<think>Was it {WRONG}?</think>",
    "Let me think. The answer might be Tomas Reed… no.",
    '{"answer": NaN}',
    "The builder was Marta Quill.",  # the schema was ignored
)
NO_ANSWERS = (
    *map(Script, TAKEN_BACK),
    *(reply({"content": DRAFT}, end) for end in ENDS),
    *(reply({"content": None, name: WRONG}) for name in ("reasoning_content", "reasoning")),
    reply({"content": CUT_THOUGHT}, "length"),
    *(Script(raw=raw) for raw in (b'{"choices": null}', b'{"choices": []}', b"{}", b"<html>")),
)
NO_CALLS = (called(WRONG, WHOLE[:-6]), *map(called, (None, "", '"x"', 7)))


@pytest.mark.parametrize(
    ("script", "tools"),
    [*((each, False) for each in NO_ANSWERS), *((each, True) for each in NO_CALLS)],
)
async def test_what_is_no_answer_is_asked_for_again(
    serve: Any, script: Script, tools: bool
) -> None:
    server = serve(script, Script(WHOLE))
    if tools:
        through_tools()
    output, told = await asked("openai:m", streamed=False)
    assert (output.answer, output.cut, told.ever) == ("Marta Quill", False, "")
    assert len(server.requests) == 2


OBJECT = json.loads(WHOLE)
THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": DRAFT}]}
TEXT = {"type": "text", "text": WHOLE}
BLOCKS = (
    {"type": "thinking", "thinking": f"Is it {WRONG}? No.", "signature": "s"},
    {"type": "redacted_thinking", "data": "x"},
    {"type": "text", "text": f"Is it {WRONG}? No. "},
    {"type": "server_tool_use", "id": "1", "name": "web_search", "input": json.loads(WRONG)},
)


def of_anthropic(block: dict[str, Any]) -> Script:
    usage = {"input_tokens": 9, "output_tokens": 4}
    body = {"id": "m", "type": "message", "role": "assistant", "model": "m", "usage": usage}
    body |= {"content": [block, TEXT | {"citations": None}]}
    body |= {"stop_reason": "end_turn", "stop_sequence": None}
    return Script(raw=json.dumps(body).encode())


@pytest.mark.parametrize(
    ("model", "script"),
    [
        *(("openai:m", called(text)) for text in (WHOLE, json.dumps(WHOLE), f"{WHOLE}}}")),
        ("openai:m", called(f"\ufeff{WHOLE}")),
        *((model, called(OBJECT)) for model in ("openai:m", "groq:m", "deepseek:m")),
        ("openai:m", called(("search", '{"query": "Who?"}'), OBJECT)),  # the last counts
        ("openai:m", called(WRONG, OBJECT)),
        ("openai:m", reply({"content": WHOLE}, None)),
        ("openai:m", reply({"content": f"Here:\n```json\n{WHOLE}\n```"}, "done_by_new_server")),
        ("openai:m", reply({"content": [THOUGHT, TEXT]})),  # Mistral's
        *(("anthropic:claude-m", of_anthropic(block)) for block in BLOCKS),
    ],
)
async def test_an_answer_in_another_form_is_read(serve: Any, model: str, script: Script) -> None:
    server = serve(script)
    if b"tool_calls" in (script.raw or b""):
        through_tools(model)
    assert (await asked(model, streamed=False))[0].answer == "Marta Quill"
    assert len(server.requests) == 1
    [(entry, _)] = model_caller(model).ledger.calls_of("run")
    assert parse(entry.output, Answer)[0].answer == "Marta Quill"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (reply({"content": None, "reasoning": f"I say {WRONG}"}), "empty"),
        (reply({"content": "", "reasoning_content": f"I say {WRONG}"}), "empty"),
        (reply({"content": [{"type": "thinking", "thinking": WRONG}]}), "empty"),
        (reply({"content": f"<think>I say {WRONG}. Or"}), "empty"),
        (reply({"content": f"<think>Is it {WRONG}? It"}, "MAX_TOKENS"), "empty"),  # Gemini's mark
        (reply({"content": [{"type": "refusal", "refusal": "I will not."}]}), "refused"),
        (reply({"content": DRAFT}, "sensitive"), "filtered"),  # Z.ai's mark
        (Script(TAKEN_BACK[0]), "unfit"),
    ],
)
async def test_a_reply_that_never_answers_is_named(serve: Any, script: Script, reason: str) -> None:
    serve(script)
    with pytest.raises(ModelOutputError) as raised:
        await asked("openai:m", streamed=False)
    assert raised.value.reason == reason


@pytest.mark.parametrize(
    ("mark", "ending"), [("stopstop", Ending.FINISHED), ("lengthlength", Ending.CUT)]
)
def test_a_mark_in_two_pieces_of_a_stream_is_one_mark(mark: str, ending: Ending) -> None:
    message = AIMessage(f"{WHOLE} Done.", response_metadata={"finish_reason": mark})
    assert read_reply(message, "m", BaseChatModel, 64).ending is ending


@pytest.mark.parametrize("reason", ["load", "unload"])
async def test_ollama_stopped_by_a_change_of_models_is_asked_again(serve: Any, reason: str) -> None:
    content = "" if reason == "load" else DRAFT
    said = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": True}
    said |= {"message": {"role": "assistant", "content": content}, "done_reason": reason}
    server = serve(Script(raw=json.dumps(said).encode()), Script(WHOLE))
    assert (await asked("ollama:m"))[0].answer == "Marta Quill"
    assert len(server.requests) == 2


LOADING = {"detail": "model is loading"}
NO_KEY = {"error": {"message": "no such key", "code": 401}}


@pytest.mark.parametrize(
    ("model", "body", "said", "reason"),
    [
        *((model, LOADING, "model is loading", "busy") for model in MODELS),
        *((model, NO_KEY, "no such key", "denied") for model in ("openai:m", "deepseek:m")),
        ("openai:m", {"error": "upstream is overloaded"}, "upstream is overloaded", "busy"),
        ("openai:m", {"success": False, "message": "daily limit"}, "daily limit", "busy"),
        ("openai:m", {"error_code": 17, "error_msg": "daily limit"}, "daily limit", "busy"),
        ("openai:m", [{"error": {"code": 429, "message": "quota"}}], "HTTP 429, quota", "busy"),
    ],
)
@pytest.mark.parametrize("streamed", [True, False])
async def test_every_client_tells_what_an_error_with_http_200_says(
    serve: Any, model: str, body: Any, said: str, reason: str, streamed: bool
) -> None:
    server = serve(Script(raw=json.dumps(body).encode()))
    with pytest.raises(ModelUnreachableError, match=said) as raised:
        await asked(model, streamed=streamed)
    assert raised.value.reason == reason
    assert len(server.requests) == (5 if reason == "busy" else 1)


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("model", MODELS)
async def test_a_page_with_http_200_is_no_answer(serve: Any, model: str, streamed: bool) -> None:
    page = f"<html><p>Please sign in</p><!-- {WRONG} --></html>".encode()
    serve(Script(raw=page, kind="text/html"))
    with pytest.raises((CallFailedError, ModelUnreachableError)) as raised:
        await asked(model, streamed=streamed)
    assert raised.value.reason in {"unreadable", "busy"}
    assert model_caller(model).ledger.parse_rates() == []


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize(
    "error",
    [
        'Grammar error: Unimplemented keys: ["propertyNames"]',
        "The provided JSON schema contains features not supported by xgrammar.",
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
    ("message", "window", "prompt"),
    [
        ("Requested tokens (2065) exceed context window of 1800", 1800, 2065),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum "
            "context length is 2048 tokens and your request has 1000 input tokens",
            2048,
            1000,
        ),
        ("The input (90 tokens) is longer than the model's context length (81 tokens).", 81, 90),
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


async def test_a_model_whose_tokens_are_denser_gets_fewer_passages(serve: Any) -> None:
    lines = [f"[{number}] Alder Bridge: {'x ' * 390}" for number in range(1, 11)]

    async def passages_of(question: str) -> int:
        values = {"passages": "\n".join(lines), "question": question, "style": "short"}
        context = Context(model="openai:m")
        await model_caller("openai:m").call(ANSWER.of("capable"), values, context, "run")
        return str(server.requests[-1]["messages"][-1]["content"]).count("] Alder Bridge")

    usage = {"prompt_tokens": 4400, "completion_tokens": 9, "total_tokens": 4409}
    said = {"content": '{"answer": "Marta Quill [1]", "passages": [1]}'}
    server = serve(reply(said, usage=usage))
    abilities.remember(chat_provider("openai:m").identity, Abilities(window=4000))
    assert await passages_of("Who built it?") == 10  # about 2,300 tokens
    assert await passages_of("When was it built?") < 9
