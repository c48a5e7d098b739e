"""How each provider's protocol ends a reply, and what Hopyard makes of it.

The servers speak the protocols; the clients are the providers' own packages.
"""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from protocols import Script

from hopyard.models.calls.reply import Ending, read_reply
from hopyard.models.servers.failures import UnfinishedReplyError
from hopyard.models.servers.tokenizers import estimate_tokens
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.errors import BudgetExceededError, CallFailedError
from hopyard.state.settings.fields import Budget, Context

from ..asking import QUESTION, WHOLE, WRONG, asked, model_caller, reply, restart, usage_of

MODELS = ("openai:m", "ollama:m", "anthropic:claude-m", "groq:m", "deepseek:m")
HALF = '{"answer": "Marta Quill built the'


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("model", MODELS)
async def test_a_finished_reply_is_the_answer(serve: Any, model: str, streamed: bool) -> None:
    serve(Script(WHOLE))
    output, told = await asked(model, streamed=streamed)
    assert (output.answer, output.cut) == ("Marta Quill", False)
    assert told.text == ("Marta Quill" if streamed else "")
    [(entry, _)] = model_caller(model).ledger.calls_of("run")
    assert (entry.input_tokens, entry.output_tokens, entry.estimated) == (9, 4, False)


@pytest.mark.parametrize("model", MODELS)
async def test_a_stream_that_breaks_off_is_asked_for_again_and_not_kept(
    serve: Any, model: str
) -> None:
    server = serve(Script(HALF, end=""), Script(WHOLE))
    output, told = await asked(model)
    assert (output.answer, told.text) == ("Marta Quill", "Marta Quill")
    assert len(server.requests) == 2
    rates = model_caller(model).ledger.parse_rates()
    assert [(rate.calls, rate.parsed) for rate in rates] == [(1, 1)]


@pytest.mark.parametrize("model", ["groq:m", "deepseek:m"])
async def test_a_reply_whose_end_says_that_the_server_failed_is_asked_for_again(
    serve: Any, model: str
) -> None:
    server = serve(Script(HALF, end="failed"), Script(WHOLE))
    assert (await asked(model))[0].answer == "Marta Quill"
    assert len(server.requests) == 2


async def test_an_error_about_an_output_is_no_refusal_of_schemas(serve: Any) -> None:
    fault = "The model produced output that does not match the expected peg-native format"
    server = serve(Script(status=500, error=fault), Script(WHOLE))
    assert (await asked("openai:m"))[0].answer == "Marta Quill"
    assert "response_format" in server.requests[1]


@pytest.mark.parametrize("model", MODELS)
async def test_a_stream_that_always_breaks_off_is_an_error(serve: Any, model: str) -> None:
    server = serve(Script(HALF, end=""))
    with pytest.raises(CallFailedError, match="broke off") as raised:
        await asked(model)
    assert raised.value.reason == "unfinished"
    assert len(server.requests) == 3
    assert model_caller(model).ledger.parse_rates() == []


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("model", MODELS)
async def test_half_an_object_is_not_finished_although_its_mark_says_so(
    serve: Any, model: str, streamed: bool
) -> None:
    server = serve(Script(HALF), Script(WHOLE))
    output, _ = await asked(model, streamed=streamed)
    assert (output.answer, output.cut) == ("Marta Quill", False)
    assert len(server.requests) == 2
    [(entry, _)] = model_caller(model).ledger.calls_of("run")
    assert entry.output == WHOLE


async def test_half_an_object_of_as_many_tokens_as_allowed_is_cut(serve: Any) -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": DIRECT.max_tokens, "total_tokens": 99}
    serve(reply({"content": HALF}, usage=usage))
    output, _ = await asked("openai:m", streamed=False)
    assert (output.answer, output.cut) == ("Marta Quill built", True)


@pytest.mark.parametrize(
    ("text", "ends_within"),
    [
        (WHOLE, False),
        ('{"answer": "Marta Quill"', False),  # only the bracket is missing
        ('{"passages": [1, 2], "answer": "Marta", "facts": [{"a": true', False),
        ('{"answer": "Marta Quill",', True),
        ('{"answer": "Marta Qu\\"', True),
        ('{"answer":', True),
        ('{"ans', True),
        ("{", True),
        ('{"number": 18', True),  # of 1874
        ('{"a": [1, 2], "b": tr', True),
        ('Here: {"answer": "x"} and {"answer": "y', True),
        ("no object at all", False),
        ("", False),
    ],
)
def test_where_a_reply_ends(text: str, ends_within: bool) -> None:
    message = AIMessage(text, response_metadata={"finish_reason": "stop"})
    if ends_within:
        with pytest.raises(UnfinishedReplyError):
            read_reply(message, "m", BaseChatModel, 64)
    else:
        assert read_reply(message, "m", BaseChatModel, 64).ending is Ending.FINISHED


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("model", MODELS)
async def test_tokens_that_a_server_does_not_count_are_estimated(
    serve: Any, model: str, streamed: bool
) -> None:
    serve(Script(WHOLE, counted=False))
    await asked(model, streamed=streamed)
    [(entry, _)] = model_caller(model).ledger.calls_of("run")
    messages = DIRECT.messages({"question": QUESTION})
    assert entry.estimated
    assert entry.input_tokens == sum(estimate_tokens(message.text) for message in messages)
    assert entry.output_tokens == estimate_tokens(WHOLE) == 7
    assert usage_of("run", Context(model=model))["estimated_calls"] == 1


async def test_a_budget_of_tokens_holds_without_counts(serve: Any) -> None:
    server = serve(Script(WHOLE, counted=False))
    context = Context(model="openai:m").model_copy(update={"budget": Budget(tokens=40)})
    caller = model_caller("openai:m")
    with pytest.raises(BudgetExceededError, match="40 tokens"):
        for number in range(9):
            await caller.call(DIRECT, {"question": f"Who {number}?"}, context, "run")
    assert 1 <= len(server.requests) <= 2


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("model", ["openai:m", "groq:m", "deepseek:m"])
async def test_a_filtered_reply_is_said_to_be_one(serve: Any, model: str, streamed: bool) -> None:
    server = serve(Script(HALF, end="filtered"))
    with pytest.raises(CallFailedError, match="content filter") as raised:
        await asked(model, streamed=streamed)
    assert raised.value.reason == "filtered"
    assert len(server.requests) == 1
    assert model_caller(model).ledger.parse_rates() == []


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("model", ["openai:m", "anthropic:claude-m"])
async def test_a_refusal_costs_one_call(serve: Any, model: str, streamed: bool) -> None:
    server = serve(Script("I will not help with that.", end="refused"))
    with pytest.raises(CallFailedError, match="refused to answer") as raised:
        await asked(model, streamed=streamed)
    assert raised.value.reason == "refused"
    assert len(server.requests) == 1


@pytest.mark.parametrize("model", MODELS)
async def test_a_reply_cut_by_its_limit_is_kept_and_marked(serve: Any, model: str) -> None:
    server = serve(Script(HALF, end="cut"))
    output, told = await asked(model)
    assert (output.answer, output.cut) == ("Marta Quill built", True)
    assert told.text.startswith("Marta Quill built")
    assert len(server.requests) == 1


@pytest.mark.parametrize("model", MODELS)
async def test_thoughts_alone_are_no_answer(serve: Any, model: str) -> None:
    server = serve(Script("", thought=f"Maybe {WRONG}."))
    with pytest.raises(CallFailedError, match="nothing outside of its thoughts") as raised:
        await asked(model)
    assert raised.value.reason == "empty"
    assert len(server.requests) == 2


@pytest.mark.parametrize("streamed", [True, False])
@pytest.mark.parametrize("model", MODELS)
async def test_an_error_within_http_200_is_an_error(serve: Any, model: str, streamed: bool) -> None:
    if model == "ollama:m" and not streamed:
        pytest.skip("Ollama's client streams every call")
    server = serve(Script(WHOLE, error="upstream is overloaded", code=502), Script(WHOLE))
    output, told = await asked(model, streamed=streamed)
    assert output.answer == "Marta Quill"
    assert told.text == ("Marta Quill" if streamed else "")
    assert len(server.requests) == 2


DRAFT = f"Maybe {WRONG}? No: passage 1 says Marta Quill."


@pytest.mark.parametrize(
    "text",
    [
        f"<think>{DRAFT}</think>{WHOLE}",
        f"{DRAFT}</think>{WHOLE}",
        f"<thinking>{DRAFT}</thinking>{WHOLE}",
        f"[THINK]{DRAFT}[/THINK]{WHOLE}",
        f"<think>{DRAFT}\n{WHOLE}",
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final"
        f"<|message|>{WHOLE}",
        f"{DRAFT}\nFinal answer:\n{WHOLE}",
    ],
)
@pytest.mark.parametrize("model", ["openai:m", "ollama:m"])
async def test_a_draft_is_neither_the_answer_nor_shown_nor_kept(
    serve: Any, model: str, text: str
) -> None:
    serve(Script(text))
    output, told = await asked(model)
    assert output.answer == "Marta Quill"
    assert "Tomas" not in told.ever
    assert told.text == "Marta Quill"


@pytest.mark.parametrize("model", ["openai:m", "ollama:m"])
async def test_a_timeout_of_the_servers_own_is_tried_again(serve: Any, model: str) -> None:
    late = Script(status=500, error="context deadline exceeded (Client.Timeout exceeded)")
    server = serve(late, late, Script(WHOLE))
    assert (await asked(model))[0].answer == "Marta Quill"
    assert len(server.requests) == 3


async def test_two_servers_of_one_model_name_share_no_answers(serve: Any) -> None:
    first = serve(Script(WHOLE))
    await asked("openai:m")
    second = serve(Script(WRONG))
    restart()
    assert (await asked("openai:m"))[0].answer == "Tomas Reed"
    assert (len(first.requests), len(second.requests)) == (1, 1)
