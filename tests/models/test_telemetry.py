"""Log lines and spans of nodes and model calls: names and counts, and nothing that was said."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from model_server import ModelServer
from opentelemetry import trace as otel
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from typing_extensions import TypedDict

from hopyard.models import telemetry
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


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(otel, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


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


async def test_a_call_is_a_span_below_its_node(spans: InMemorySpanExporter) -> None:
    await run()
    call, node, strategy = spans.get_finished_spans()
    assert [span.name for span in (call, node, strategy)] == [
        "chat answer",
        "node look_up",
        "node strategy",
    ]
    assert call.parent is not None
    assert node.parent is not None
    assert call.parent.span_id == node.context.span_id
    assert node.parent.span_id == strategy.context.span_id
    assert strategy.parent is None
    given = dict(call.attributes or {})
    assert given["gen_ai.request.model"] == "scripted"
    assert given["gen_ai.usage.input_tokens"]
    assert given["hopyard.cached"] is False
    told = "".join(span.to_json() for span in (call, node, strategy))
    assert not [secret for secret in SECRETS if secret in told]


async def test_what_the_ledger_answers_costs_nothing(spans: InMemorySpanExporter) -> None:
    await run()
    spans.clear()
    await run()
    given = dict(spans.get_finished_spans()[0].attributes or {})
    assert given["hopyard.cached"] is True
    assert given["gen_ai.usage.input_tokens"] == 0


async def test_a_failed_node_says_so(
    spans: InMemorySpanExporter, answers: ModelServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "hopyard")
    answers.answer = lambda title, messages: "at noon, I would say"
    with pytest.raises(ModelOutputError):
        await run()
    node = next(span for span in spans.get_finished_spans() if span.name == "node look_up")
    assert node.status.status_code is otel.StatusCode.ERROR
    assert node.status.description == "ModelOutputError"
    assert "node look_up failed (ModelOutputError)" in caplog.text
    assert not telemetry._open_spans


async def test_without_opentelemetry_there_are_lines_alone(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(telemetry, "trace", None)
    caplog.set_level(logging.INFO, "hopyard")
    await run()
    assert "node look_up ended after" in caplog.text


def test_it_can_be_imported_where_opentelemetry_is_not_installed() -> None:
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "import hopyard.models.telemetry as telemetry; assert telemetry.trace is None"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd="/")
