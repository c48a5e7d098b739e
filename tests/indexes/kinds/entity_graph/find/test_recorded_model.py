"""A large language model's recorded extraction of 24 passages, and the searches that ask it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.building.build import build
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kind import KINDS
from hopyard.indexes.kinds.entity_graph.graph.graph import EntityGraph
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.settings.fields import Context

CORPUS = Path(__file__).parents[5] / "examples" / "solar_system" / "corpus.jsonl"
MODEL = f"recorded:{Path(__file__).parent / 'recording'}"
CASSINI = "Which planet does the moon discovered by Giovanni Cassini circle?"
HERSCHEL = "Who discovered the planet that Caroline Herschel's brother first saw?"


def context(index: Path, **pagerank: Any) -> Context:
    return Context.model_validate(
        {
            "model": MODEL,
            "profile": "capable",
            "index": str(index),
            "entity_graph": {"builder": "model"},
            "pagerank": {"ask_model": True, **pagerank},
        }
    )


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resources]:
    with Resources(tmp_path_factory.mktemp("home")) as resources:
        yield resources


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory, resources: Resources) -> Path:
    directory = tmp_path_factory.mktemp("recorded") / "index"
    with CORPUS.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in islice(lines, 24)]
    asyncio.run(
        build(
            [Document(id=row["id"], title=row["title"], text=row["text"]) for row in rows],
            directory=directory,
            embedder=resources.embedder("builtin:minilm"),
            chunk_tokens=0,
            kinds=("dense", "entity-graph"),
            settings=context(directory),
            caller=lambda: resources.caller(MODEL),
        )
    )
    return directory


def test_the_facts_of_a_passage_name_their_sentence(index: Path) -> None:
    with Index.open(index) as opened:
        graph: EntityGraph = opened.reader("entity-graph")
        facts = graph.facts_in("iapetus")
        status = KINDS["entity-graph"].status(opened.kind_directory("entity-graph"))
    assert any("Cassini" in fact["subject"] + fact["object"] for fact in facts), facts
    assert len(graph.files.facts) > 150
    assert (graph.files.facts["sentence"] >= 0).mean() > 0.95
    assert not status.keys() & {"failed", "unread"}
    assert status.get("dropped_facts", 0) < len(graph.files.facts) / 20


@pytest.mark.asyncio
@pytest.mark.parametrize("method", ["hipporag", "hipporag2"])
async def test_the_model_chooses_names_and_facts(
    index: Path, resources: Resources, method: str
) -> None:
    run = Run("recorded", context(index, method=method), resources)
    found = await run.try_find(CASSINI, k=2, method="pagerank")
    assert found.evidence[0]["id"] == "iapetus"
    assert "Giovanni Cassini" in found.evidence[0]["why"]
    other = await run.try_find(HERSCHEL, k=2, method="pagerank")
    assert {unit["id"] for unit in other.evidence} == {"uranus", "titania"}
    assert [*found.problems, *other.problems] == []
