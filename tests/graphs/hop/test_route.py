"""The route offers `hop` where the index has a passage graph, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from building import build
from model_server import ModelServer

from hopyard.graphs import router
from hopyard.indexes.corpus.records import Document
from hopyard.prompts.route import route_prompt
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES

from ..conftest import Words, changed
from .script import HopScript

QUESTION = "When was coke first used where the ribs of the Iron Bridge were cast?"


async def ask_agent(context: Context) -> dict[str, Any]:
    return await router.graph.ainvoke({"question": QUESTION}, context=context)


def route_choices(server: ModelServer) -> list[str]:
    """What the route could answer, as the provider was told."""
    schema = server.calls[0].payload["response_format"]["json_schema"]["schema"]
    return list(schema["properties"]["strategy"]["enum"])


async def test_with_a_graph(context: Context, script: HopScript, model_server: ModelServer) -> None:
    script.lines = {("route", QUESTION): {"strategy": "hop"}}
    output = await ask_agent(context)
    assert route_choices(model_server) == ["direct", "single", "tree", "hop"]
    assert output["strategy"] == "hop"
    assert output["route"]["reason"] == STRATEGIES["hop"].route.reason
    assert output["steps"][1]["kind"] == "hop"
    assert output["usage"]["model_calls"] == len(script.asked)


async def test_without_a_graph(
    context: Context, script: HopScript, model_server: ModelServer, tmp_path: Path
) -> None:
    documents = [Document(id="a", title="A", text="One bridge.")]
    build(documents, directory=tmp_path, embedder=Words(), chunk_tokens=0)
    script.lines = {("route", QUESTION): {"strategy": "hop"}}
    output = await ask_agent(changed(context, index=str(tmp_path)))
    assert route_choices(model_server) == ["direct", "single", "tree"]
    assert output["strategy"] == "single"
    assert output["route"]["by"] == "fallback"


async def test_what_needs_no_document_needs_no_index(
    context: Context, script: HopScript, model_server: ModelServer
) -> None:
    script.lines = {("route", QUESTION): {"strategy": "direct"}}
    output = await ask_agent(changed(context, index=""))
    assert route_choices(model_server) == ["direct", "single", "tree"]
    assert output["strategy"] == "direct"


def test_examples_keep_to_what_is_offered() -> None:
    labels = {name: STRATEGIES[name].route for name in ("direct", "single", "tree", "hop")}
    with_hop = route_prompt(labels)
    del labels["hop"]
    without = route_prompt(labels)
    for prompt, names in ((without, {"direct", "single", "tree"}), (with_hop, {"hop"})):
        shown = {example.output.strategy for example in prompt.examples}
        assert names <= shown
        assert shown <= set(prompt.output.model_json_schema()["properties"]["strategy"]["enum"])
    pairs = zip(without.examples, with_hop.examples, strict=True)
    best = {(before.output.strategy, after.output.strategy) for before, after in pairs}
    assert best == {(name, name) for name in labels} | {("tree", "hop")}
