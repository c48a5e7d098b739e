"""A prompt that is longer than a server's window."""

from __future__ import annotations

from typing import Any

import pytest
from protocols import Script

from hopyard.models.servers import abilities
from hopyard.prompts.answer import ANSWER
from hopyard.state.errors import CallFailedError
from hopyard.state.settings.fields import Context

from ..asking import model_caller, restart

LONG = (
    "This model's maximum context length is 2000 tokens. However, you requested 6400 tokens "
    "(2400 in the messages, 4000 in the completion). Please reduce the length of the messages."
)


async def test_a_prompt_is_made_shorter_for_the_window_that_an_error_tells(serve: Any) -> None:
    server = serve(Script(status=400, error=LONG), Script(CITED), Script(CITED))
    assert (await read_passages()).answer == "Marta Quill [1]"
    first, second = server.requests
    assert (numbered(first), numbered(second)) == (10, 6)
    assert second["max_completion_tokens"] <= 1000 < first["max_completion_tokens"]
    [note] = model_caller("openai:m").ledger.notes("run")
    assert "holds 6 of the 10 passages found; the model did not read the others." in note
    abilities._known.clear()  # another process
    restart()
    assert model_caller("openai:m").ledger.notes("run") == [note]
    await read_passages(run="another")  # the ledger answers
    assert model_caller("openai:m").ledger.notes("another") == [note]
    await read_passages("When was it built?")
    assert numbered(server.requests[-1]) < 10
    assert len(server.requests) == 3


@pytest.mark.parametrize("counted", [True, False])
async def test_a_server_that_counts_far_fewer_tokens_may_have_cut_the_prompt(
    serve: Any, counted: bool
) -> None:
    """TradingAgents 168: Ollama's endpoint for OpenAI's clients takes no window from a request."""
    serve(Script(CITED, counted=counted))  # it counts 9 tokens of 2,400
    assert (await read_passages()).answer == "Marta Quill [1]"
    notes = model_caller("openai:m").ledger.notes("run")
    assert ["it may have cut its beginning off" in note for note in notes] == [True] * counted


async def test_a_prompt_is_sent_again_only_if_it_is_shorter(serve: Any) -> None:
    server = serve(Script(status=400, error="reduce the length of the messages"))
    with pytest.raises(CallFailedError, match="longer than the window") as raised:
        await read_passages()
    assert raised.value.reason == "too long"
    assert len(server.requests) == 1


CITED = '{"thought": "It says so.", "answer": "Marta Quill [1]", "passages": [1]}'


async def read_passages(question: str = "Who built it?", run: str = "run") -> Any:
    lines = [f"[{number}] Alder Bridge: {'x ' * 390}" for number in range(1, 11)]
    values = {"passages": "\n".join(lines), "question": question, "style": "short"}
    context = Context(model="openai:m")
    return await model_caller("openai:m").call(ANSWER.of("capable"), values, context, run)


def numbered(request: dict[str, Any]) -> int:
    """The passages in a request."""
    return str(request["messages"][-1]["content"]).count("] Alder Bridge")
