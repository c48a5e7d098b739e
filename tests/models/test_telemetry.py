"""Log lines of nodes and model calls: names and counts, and nothing that was said."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from model_server import ModelServer
from typing_extensions import TypedDict

from hopyard.models.telemetry import NodeWatch
from hopyard.prompts.answer import ANSWER
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings.fields import Context

from .asking import model_caller

pytestmark = pytest.mark.usefixtures("one_attempt")

SECRETS = ("The vault opens at noon.", "When does the vault open?", "at noon", "sk-key")


class State(TypedDict):
    said: str


def graph() -> Any:
    """A strategy of one node, as a node of an agent."""

    async def look_up(state: State) -> dict[str, str]:
        values = {"passages": SECRETS[0], "question": SECRETS[1]}
        context = Context(model="scripted")
        return {"said": (await model_caller().call(ANSWER, values, context, "run")).answer}

    strategy = StateGraph(State).add_node("look_up", look_up)
    strategy.add_edge(START, "look_up").add_edge("look_up", END)
    agent = StateGraph(State).add_node("strategy", strategy.compile(name="strategy"))
    return agent.add_edge(START, "strategy").add_edge("strategy", END).compile()


async def run() -> None:
    await graph().ainvoke({"said": ""}, {"callbacks": [NodeWatch()]})


@pytest.fixture(autouse=True)
def answers(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-key")
    model_server.answer = lambda title, messages: {"answer": "at noon"}
    return model_server


async def test_each_call_and_node_is_a_line(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "hopyard")
    await run()
    await run()
    lines = [line.getMessage() for line in caplog.records if line.name.startswith("hopyard")]
    assert lines[0].startswith("look_up: answer/1 by scripted: ")
    assert re.search(r"\d+ tokens in, \d+ out, \d+\.\d\d s, parsed$", lines[0])
    assert lines[1].startswith("node look_up ended after ")
    assert lines[2].startswith("node strategy ended after ")
    assert lines[3] == "look_up: answer/1 answered by the ledger"
    assert not [secret for secret in SECRETS if secret in "\n".join(lines)]


async def test_a_failed_node_says_so(
    answers: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "hopyard")
    answers.answer = lambda title, messages: "at noon, I would say"
    with pytest.raises(ModelOutputError):
        await run()
    assert "node look_up failed (ModelOutputError)" in caplog.text
