"""The run of a step: the settings as they were given, and the index that they name."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from building import build
from langgraph.graph import START, StateGraph
from langgraph.runtime import Runtime
from model_server import ModelServer, WordEmbedder

from hopyard.graphs import router, single
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.nodes.index_facts import index_kinds
from hopyard.nodes.resources import Resources, config_with
from hopyard.nodes.run import Run, run_of
from hopyard.state.errors import UsageError
from hopyard.state.schemas import StrategyState
from hopyard.state.settings.fields import Context

QUESTION = "When was the bridge opened?"


@pytest.fixture
def index(tmp_path: Path, words: WordEmbedder) -> Path:
    documents = [Document("bridge", "Bridge", "The bridge was opened in 1781.")]
    build(documents, directory=tmp_path / "index", embedder=words)
    return tmp_path / "index"


@pytest.fixture
def environment(index: Path, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The environment names an index and its models."""
    monkeypatch.setenv("HOPYARD_INDEX", str(index))
    monkeypatch.setenv("HOPYARD_MODEL", "scripted")
    monkeypatch.setenv("HOPYARD_EMBEDDING", "words")
    return index


async def settings_of_a_run(**options: Any) -> Context:
    """The settings that `run_of` gives a node of a graph that is called with these options."""
    found: list[Context] = []

    async def node(state: StrategyState, runtime: Runtime[Context]) -> dict[str, Any]:
        found.append((await run_of(state, runtime)).settings)
        return {}

    graph = StateGraph(StrategyState, context_schema=Context).add_node("node", node)
    await graph.add_edge(START, "node").compile().ainvoke({"question": QUESTION}, **options)
    return found[0]


async def test_a_context_is_used_as_it_is_given(environment: Path) -> None:
    """It names no index, although the environment does."""
    given = Context()
    assert await settings_of_a_run(context=given) is given
    with pytest.raises(UsageError, match="No index is given"):
        await single.graph.ainvoke({"question": QUESTION}, context=given)
    output = await router.graph.ainvoke(
        {"question": QUESTION}, context=Context(model="scripted", strategy="direct")
    )
    assert output["strategy"] == "direct"


async def test_without_a_context_the_environment_is_read(environment: Path) -> None:
    assert (await settings_of_a_run()).index == str(environment)
    output = await single.graph.ainvoke({"question": QUESTION})
    assert [unit["id"] for unit in output["evidence"]] == ["bridge"]


async def test_an_unknown_address_is_refused(tmp_path: Path) -> None:
    with Resources(tmp_path) as resources:
        run = Run("r", Context(index="https://host/index"), resources)
        with pytest.raises(UsageError) as error:
            await run.index()
        assert str(error.value) == (
            "The index 'https://host/index' is an address that Hopyard does not know; name a "
            "folder or postgresql://USER@HOST/DATABASE?index=NAME."
        )
        assert await index_kinds(run) == ()


async def test_four_runs_that_begin_together_open_the_index_once(
    environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Path] = []
    open_index = Index.open

    def count(directory: Path, *rest: Any) -> Index:
        opened.append(directory)
        return open_index(directory, *rest)

    monkeypatch.setattr(Index, "open", count)
    with Resources(tmp_path / "mine") as resources:
        config = config_with(resources)
        asked = [
            single.graph.ainvoke({"question": f"{QUESTION} {number}"}, config)
            for number in range(4)
        ]
        outputs = await asyncio.gather(*asked)
    assert opened == [environment]
    assert len(outputs) == 4


async def test_a_run_uses_the_resources_that_it_was_given(
    environment: Path, tmp_path: Path, home: Path
) -> None:
    with Resources(tmp_path / "mine") as resources:
        await single.graph.ainvoke({"question": QUESTION, "run": "r"}, config_with(resources))
        assert len(resources.ledger.uses("r")) == 1
    assert not (home / "ledger.sqlite").exists()
