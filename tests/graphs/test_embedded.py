"""The agent with the models that come with it, over the sample corpus: its form, not its words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from hopyard.graphs import router
from hopyard.indexes.build import build
from hopyard.indexes.corpus_index import Index
from hopyard.models.embeddings import embedder
from hopyard.state.schemas import AgentOutput
from hopyard.state.settings import STRATEGIES, Context

from .conftest import sample_documents

pytestmark = [pytest.mark.embedded, pytest.mark.timeout(300)]

FACT = "What is the largest moon in the solar system?"
COMPARISON = "Who was born first, William Herschel or Giuseppe Piazzi?"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus with the embedding model that comes with Hopyard."""
    directory = tmp_path_factory.mktemp("embedded") / "index"
    build(sample_documents(), directory=directory, embedder=embedder("embedded"))
    return directory


async def answered(index: Path, question: str, **settings: Any) -> dict[str, Any]:
    context = Context.model_validate({"index": str(index), **settings})
    output = await router.graph.ainvoke({"question": question}, context=context)
    TypeAdapter(AgentOutput).validate_python(output, strict=True, extra="forbid")
    json.dumps(output)
    with Index.open(index) as opened:
        texts = {
            one.id: one.text
            for one in opened.passages([one["passage_id"] for one in output["evidence"]])
        }
    for citation in output["citations"]:
        assert citation["quote"] in texts[citation["passage_id"]]
    assert output["answer"]
    assert output["usage"]["model_calls"] > 0
    assert output["usage"]["input_tokens"] > 0
    return dict(output)


async def test_the_route_is_the_models(index: Path) -> None:
    output = await answered(index, FACT, retrieval={"k": 2})
    assert output["strategy"] in STRATEGIES
    assert output["route"]["by"] in {"model", "fallback"}


async def test_a_tree_is_grown(index: Path) -> None:
    output = await answered(
        index, COMPARISON, strategy="tree", tree={"max_depth": 1}, retrieval={"k": 3}
    )
    assert output["route"]["by"] == "forced"
    assert output["steps"][0]["path"] == ""
    assert output["steps"][-1]["step"] == "aggregate"
    assert len(output["evidence"]) <= 5
    assert all(step["reason"] for step in output["steps"] if "verdict" in step)
