"""What a model call does about an output that does not fit, and about failures on the way."""

from __future__ import annotations

import asyncio
import gc
import json

import pytest
from langchain_core.messages import AIMessageChunk
from langchain_openai import ChatOpenAI
from model_server import ModelServer, Reply

from hopyard.models import chat
from hopyard.models.calls import request as requests
from hopyard.models.calls.reply import Ending, read_reply
from hopyard.models.servers.failures import RETRIES, Failure
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.errors import CallFailedError, ModelOutputError, ModelUnreachableError
from hopyard.state.settings.fields import Budget, Context

from ..asking import CONTEXT, PARIS, ask, in_turn, model_caller, restart, usage_of

# Bad output


async def test_a_bad_output_is_asked_again_in_another_way(server: ModelServer) -> None:
    """At 0 the same prompt gets the same output. A small model cites a fault that it is shown."""
    server.answer = in_turn("The capital is Paris.", "No.", PARIS)
    assert await ask() == "Paris"
    first, second, third = server.calls
    assert second.messages == first.messages
    assert third.messages[1:] == first.messages[1:]
    added = third.messages[0]["content"].removeprefix(first.messages[0]["content"])
    assert added == "\nWrite one JSON object with these fields and nothing else: answer."
    payloads = [call.payload for call in server.calls]
    assert [payload["temperature"] for payload in payloads] == [0.0, 0.7, 0.7]
    assert [payload["seed"] - CONTEXT.seed for payload in payloads] == [0, 1, 2]
    assert usage_of("run", CONTEXT)["model_calls"] == 3


async def test_a_retry_is_as_hot_as_the_first_attempt_at_least(server: ModelServer) -> None:
    server.answer = in_turn("no", PARIS)
    await ask(context=CONTEXT.model_copy(update={"temperature": 1.2}))
    assert [call.payload["temperature"] for call in server.calls] == [1.2, 1.2]


async def test_a_small_model_retries_with_half_the_room(server: ModelServer) -> None:
    server.answer = in_turn("no", PARIS)
    await ask(context=CONTEXT.model_copy(update={"profile": "small"}))
    limits = [call.payload["max_completion_tokens"] for call in server.calls]
    assert limits[1] == limits[0] // 2


async def test_an_output_that_never_fits_names_the_prompt_and_the_cure(server: ModelServer) -> None:
    server.answer = in_turn("no", "still no", "never")
    with pytest.raises(ModelOutputError, match=r"'direct'.*scripted.*3 attempts"):
        await ask()
    assert len(server.calls) == 3
    rate = model_caller("scripted").ledger.parse_rates()[0]
    assert (rate.prompt, rate.calls, rate.failed, rate.rate) == ("direct", 3, 3, 0.0)


async def test_without_retries_one_bad_output_is_enough(server: ModelServer) -> None:
    server.answer = in_turn("no")
    with pytest.raises(ModelOutputError):
        await ask(retries=0)
    assert len(server.calls) == 1


async def test_a_resumed_run_does_not_pay_for_its_failed_outputs_again(server: ModelServer) -> None:
    server.answer = in_turn("no")
    for run, requests_then in (("run", 3), ("run", 3), ("other", 6)):
        restart()
        with pytest.raises(ModelOutputError):
            await ask(run=run)
        assert len(server.calls) == requests_then


@pytest.mark.parametrize("output", ["", '{"answer": "\ud83d'])
async def test_an_empty_output_and_half_a_character_are_bad_outputs(
    server: ModelServer, output: str
) -> None:
    server.answer = in_turn(output, PARIS)
    assert await ask() == "Paris"
    assert len(server.calls) == 2


# Failures on the way


@pytest.mark.parametrize("status", [429, 500, 503])
async def test_a_busy_server_is_asked_again(server: ModelServer, status: int) -> None:
    server.answer = in_turn(Reply(status, headers={"retry-after": "0"}), PARIS)
    assert await ask() == "Paris"
    assert len(server.calls) == 2
    assert usage_of("run", CONTEXT)["model_calls"] == 1


async def test_a_server_that_stays_busy_is_given_up(server: ModelServer) -> None:
    server.answer = in_turn(Reply(503))
    with pytest.raises(ModelUnreachableError, match=r"scripted failed in 5 tries \(HTTP 503"):
        await ask()
    assert len(server.calls) == 1 + RETRIES[Failure.TRANSIENT]
    assert usage_of("run", CONTEXT)["model_calls"] == 0


async def test_the_server_says_how_long_to_wait(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(requests, "FIRST_PAUSE", 100.0)
    server.answer = in_turn(Reply(429, headers={"retry-after": "0.05"}), PARIS)
    async with asyncio.timeout(50):
        assert await ask() == "Paris"
    first, second = server.calls
    assert second.started - first.finished >= 0.05


@pytest.mark.parametrize(
    ("status", "advice"),
    [(400, r"\)\.$"), (401, "fix the test"), (403, "fix the test"), (404, "fix the test")],
)
async def test_a_refusal_is_not_asked_again_and_blames_the_key_only_where_it_may_be_wrong(
    server: ModelServer, status: int, advice: str
) -> None:
    server.answer = in_turn(Reply(status))
    kinds = (ModelUnreachableError, CallFailedError)
    with pytest.raises(kinds, match=f"HTTP {status}, .*scripted {status}.*{advice}"):
        await ask()
    assert len(server.calls) == 1


async def test_a_hosted_models_client_does_not_retry_on_its_own(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    server.answer = in_turn(Reply(503, headers={"retry-after": "0"}))
    with pytest.raises(ModelUnreachableError, match="openai:scripted"):
        await ask(context=Context(model="openai:scripted"))
    assert len(server.calls) == 1 + RETRIES[Failure.TRANSIENT]


@pytest.mark.parametrize(
    ("model", "cure"),
    [("openai:gone", "API key of 'openai'"), ("ollama:gone", "ollama pull gone")],
)
async def test_a_refused_connection_names_the_cure(
    closed_address: str, monkeypatch: pytest.MonkeyPatch, model: str, cure: str
) -> None:
    monkeypatch.setattr(requests, "FIRST_PAUSE", 200.0)  # a second try would not end in time
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{closed_address}/v1")
    monkeypatch.setenv("OLLAMA_HOST", closed_address)
    async with asyncio.timeout(100):
        with pytest.raises(
            ModelUnreachableError, match=f"{model}.* does not answer.*{cure}"
        ) as met:
            await ask(context=Context(model=model))
    assert closed_address in str(met.value)


async def test_a_call_that_takes_too_long_names_the_limit(server: ModelServer) -> None:
    server.hold()
    with pytest.raises(CallFailedError, match=r"did not answer in 0\.02 s") as raised:
        await ask(context=Context(model="scripted", timeout=0.02))
    assert "--set timeout=" in str(raised.value)
    assert len(server.calls) <= 1 + RETRIES[Failure.TRANSIENT]


async def test_a_prompt_beyond_the_window_is_not_asked_again(server: ModelServer) -> None:
    body = {"error": {"message": "the request exceeds the available context size (8192 tokens)"}}
    server.answer = in_turn(Reply(400, body=body))
    with pytest.raises(ModelOutputError, match="longer than the window of scripted") as raised:
        await ask()
    assert "--set retrieval.snippet_tokens=" in str(raised.value)
    assert len(server.calls) == 1


async def test_failures_keep_no_place_and_no_budget(server: ModelServer) -> None:
    context = Context(model="scripted", concurrency=1, budget=Budget(calls=2))
    server.answer = in_turn(Reply(400), PARIS)
    with pytest.raises(CallFailedError):
        await ask(context=context)
    assert await ask(context=context) == "Paris"


def test_a_process_may_run_several_event_loops(server: ModelServer) -> None:
    for number in range(3):
        assert asyncio.run(ask(f"{number}?")) == "Paris"
    assert asyncio.run(ask("0?")) == "Paris"
    assert len(server.calls) == 3


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize("model", ["openai:scripted", "ollama:scripted"])
def test_connections_kept_alive_do_not_outlive_their_loop(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    server.keep_alive = True

    async def ask_some(questions: int) -> None:
        for number in range(questions):
            assert (
                await ask(f"{id(asyncio.get_running_loop())} {number}", context=context) == "Paris"
            )

    context = Context(model=model)
    for _ in range(3):
        asyncio.run(ask_some(2))
    restart()
    chat.openai_clients._clients.clear()
    gc.collect()  # the connections left open are closed here, where their warning is expected


async def test_text_is_sent_and_read_as_it_is(server: ModelServer) -> None:
    server.answer = lambda title, messages: {"answer": json.dumps(messages[-1]["content"])[:300]}
    odd = "$price ${x} {y} 日本 \U0001f600 \u2028 <|im_end|>"
    assert json.loads(await ask(odd)) == odd


@pytest.mark.parametrize(
    ("text", "calls", "cut"),
    [
        ('{"answer": "Paris"', 1, False),  # nothing but the bracket is missing
        ('{"answer": "Paris is the cap', 1, True),
        ('{"answer": "Par', 2, False),  # half a word would pass for a whole one
    ],
)
async def test_an_answer_cut_off_at_the_token_limit_is_read_as_far_as_it_goes(
    server: ModelServer, text: str, calls: int, cut: bool
) -> None:
    """OpenAI's client raises it; it was paid for, and its tokens are counted."""
    message = {"role": "assistant", "content": text}
    usage = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
    body = {
        "id": "cut",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [{"index": 0, "message": message, "finish_reason": "length"}],
        "usage": usage,
    }
    server.answer = in_turn(Reply(200, body=body), PARIS)
    for _ in range(2):  # the second time from the ledger
        output = await model_caller().call(DIRECT, {"question": "?"}, CONTEXT, "run")
        assert (output.answer, output.cut) == ("Paris is the" if cut else "Paris", cut)
    assert len(server.calls) == calls
    if calls == 1:
        spent = usage_of("run", CONTEXT)
        assert (spent["input_tokens"], spent["output_tokens"]) == (20, 5)
        [rate] = model_caller().ledger.parse_rates()
        assert (rate.repaired, rate.failed) == (1, 0)


async def test_an_answer_longer_than_its_limit_is_kept_and_marked(server: ModelServer) -> None:
    server.answer = in_turn({"answer": "many moons " * 30})
    output = await model_caller().call(DIRECT, {"question": "?"}, CONTEXT, "run")
    assert (output.answer, output.cut) == (("many moons " * 27).strip(), True)
    assert len(server.calls) == 1


def test_a_streamed_tool_call_that_is_cut_off_is_not_taken_for_a_whole_one() -> None:
    call = {"name": "Answer", "args": '{"answer": "two mo', "id": "1", "index": 0}
    whole = AIMessageChunk("", tool_call_chunks=[{**call, "type": "tool_call_chunk"}])
    whole.response_metadata = {"finish_reason": "length"}
    reply = read_reply(whole, "scripted", ChatOpenAI, 64)
    assert (reply.text, reply.ending) == ('{"answer": "two mo', Ending.CUT)
