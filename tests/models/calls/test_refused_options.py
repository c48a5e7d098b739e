"""What a server refuses is left out of the next requests, and another process knows it."""

from __future__ import annotations

from typing import Any

import pytest
from protocols import Script

from hopyard.models.calls.request import Request, schemas_of, send
from hopyard.models.chat import Sampling, chat_provider
from hopyard.models.servers import abilities
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.errors import CallFailedError

from ..asking import WHOLE, asked, restart

SAMPLING = Sampling(max_tokens=64, temperature=0.0, seed=1)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("response_format", "This response_format type is unavailable now"),
        ("temperature", "Unsupported value: 'temperature' does not support 0"),
        ("seed", "Unrecognized request argument supplied: seed"),
        ("max_completion_tokens", "Unknown field: max_completion_tokens"),
        ("stream_options", "stream_options is not supported"),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
async def test_what_a_server_refuses_is_left_out_from_then_on(
    serve: Any, option: str, message: str, status: int
) -> None:
    server = serve(Script(status=status, error=message), Script(WHOLE))
    assert (await asked("openai:m"))[0].answer == "Marta Quill"
    first, second = server.requests
    assert option in first
    assert option not in second
    if option == "response_format":
        assert second["tools"]
    if option == "max_completion_tokens":
        assert second["max_tokens"] == first["max_completion_tokens"]
    messages, provider = DIRECT.messages({"question": "?"}), chat_provider("openai:m")
    await send(Request(provider, schemas_of(DIRECT.output), messages, SAMPLING, 30.0))
    assert len(server.requests) == 3
    assert option not in server.requests[2]


async def test_a_server_that_knows_no_schemas_is_shown_them_in_the_prompt(serve: Any) -> None:
    refusals = (
        Script(status=400, error="response_format json_schema is not supported"),
        Script(status=400, error="tools are not supported"),
        Script(status=400, error="response_format json_object is not supported"),
    )
    server = serve(*refusals, Script(f"Here it is: {WHOLE}"))
    assert (await asked("openai:m"))[0].answer == "Marta Quill"
    *_, third, last = server.requests
    assert third["response_format"] == {"type": "json_object"}
    assert "response_format" not in last
    assert '"answer"' in last["messages"][-1]["content"]


async def test_what_a_server_refused_is_known_to_another_process(serve: Any) -> None:
    server = serve(
        Script(status=400, error="response_format json_schema is not supported"),
        Script(status=422, error="Unrecognized request argument supplied: seed"),
        Script(WHOLE),
    )
    await asked("openai:m")
    for model, asks_again in (("openai:m", False), ("openai:n", True)):
        abilities._known.clear()
        restart()
        await asked(model)
        assert ("response_format" in server.requests[-1]) is asks_again
        assert ("seed" in server.requests[-1]) is asks_again
    assert len(server.requests) == 4  # the third was the first answer; the ledger has it


async def test_an_answer_is_no_longer_than_the_server_allows(serve: Any) -> None:
    limit = "max_tokens is too large. This model supports at most 20 completion tokens"
    server = serve(Script(status=400, error=limit), Script(WHOLE))
    assert (await asked("openai:m"))[0].answer == "Marta Quill"
    assert [each["max_completion_tokens"] for each in server.requests] == [DIRECT.max_tokens, 20]


async def test_a_refusal_is_kept_only_if_the_server_accepts_the_rest(serve: Any) -> None:
    serve(Script(status=400, error="response_format: upstream m2 has no such thing"))
    with pytest.raises(CallFailedError):
        await asked("openai:m")
    abilities._known.clear()
    assert abilities.abilities_of(chat_provider("openai:m").identity) == abilities.Abilities()
