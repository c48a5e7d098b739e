"""The agent with the models that come with it, over the sample corpus: its form, not its words.

They replay the words of the built-in model; tests/cli/test_imports.py and tests/models/builtin run
it. After a change of prompts, write its words again, with
`HOPYARD_RECORD=1 pytest tests/graphs/test_embedded.py`.
"""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from building import build
from pydantic import TypeAdapter

from hopyard.graphs import router
from hopyard.indexes.index import Index
from hopyard.models.embeddings import embedder, register_embedder
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.agent import AgentOutput
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context
from hopyard.state.strategy import STRATEGIES
from hopyard.testing import DOCUMENTS
from hopyard.testing.models import WordEmbedder

from .conftest import sample_documents

FACT = "What is the largest moon in the solar system?"
COMPARISON = "Who was born first, William Herschel or Giuseppe Piazzi?"
RECORDING = Path(__file__).parent / "recordings" / "builtin"
RECORD = "HOPYARD_RECORD" in os.environ  # tests run without such variables

pytestmark = [pytest.mark.builtin, pytest.mark.timeout(3000 if RECORD else 300)]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample corpus with the embedding model that comes with Hopyard."""
    directory = tmp_path_factory.mktemp("builtin") / "index"
    build(sample_documents(), directory=directory, embedder=embedder("builtin"))
    return directory


async def ask_agent(index: Path, question: str, **settings: Any) -> dict[str, Any]:
    context = Context.model_validate({"index": str(index), **settings})
    with ExitStack() as stack:
        resources = stack.enter_context(Resources())
        if RECORD:
            stack.enter_context(resources.recording(RECORDING))
        output = await router.graph.ainvoke(
            {"question": question}, config_with(resources), context=context
        )
    TypeAdapter(AgentOutput).validate_python(output, strict=True, extra="forbid")
    assert output["messages"].pop().text == output["answer"]
    json.dumps({key: value for key, value in output.items() if key != "messages"})
    with Index.open(index) as opened:
        texts = {
            passage.id: passage.text for passage in opened.passages(passage_ids(output["evidence"]))
        }
    for citation in output["citations"]:
        assert citation["quote"] in texts[citation["passage_id"]]
    assert output["answer"]
    assert output["usage"]["model_calls"] > 0
    assert output["usage"]["input_tokens"] > 0
    return dict(output)


async def replay(index: Path, question: str, **settings: Any) -> dict[str, Any]:
    """Ask the recording of the built-in model. Its prompts must not depend on the machine."""
    if RECORD:
        settings |= {"timeout": 3000}
    else:
        settings |= {"model": f"recorded:{RECORDING}", "profile": "builtin"}
    return await ask_agent(index, question, **settings)


async def test_the_route_is_the_models(index: Path) -> None:
    output = await replay(index, FACT, retrieval={"k": 2, "method": "sparse"})
    assert output["strategy"] in STRATEGIES
    assert output["route"]["by"] in {"model", "fallback"}


async def test_a_tree_is_grown(index: Path) -> None:
    output = await replay(
        index,
        COMPARISON,
        strategy="tree",
        tree={"max_depth": 1},
        retrieval={"k": 3, "method": "sparse"},
    )
    assert output["route"]["by"] == "forced"
    assert output["steps"][0]["id"] == "tree-root"
    assert "aggregate" in {step["kind"] for step in output["steps"][-2:]}
    assert len(output["evidence"]) <= 5
    assert all(step["reason"] for step in output["steps"] if "verdict" in step)


@pytest.fixture(scope="module")
def communities(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few passages about bridges and planets, with communities and no reports."""
    directory = tmp_path_factory.mktemp("communities") / "index"
    register_embedder(WordEmbedder.name, WordEmbedder())
    build(
        DOCUMENTS,
        directory=directory,
        embedder=embedder(WordEmbedder.name),
        kinds=["dense", "sparse", "entity-graph", "communities"],
        settings=Context.model_validate({"communities": {"max_size": 4}}),
    )
    return directory


async def test_a_global_search_writes_reports_and_reads_them(communities: Path) -> None:
    """The built-in model often finds no point in its own reports; then it cites nothing."""
    output = await replay(
        communities,
        "What do the documents tell about bridges?",
        strategy="graphrag",
        **{"global": {"most_reports": 2}},
    )
    steps = output["steps"]
    assert [step["kind"] for step in steps] == ["select", "report", "report", "map", "reduce"]
    for report in steps[1:3]:
        assert int(report["facts"]["findings"]) > 0
    points = int(steps[3]["facts"]["points"])
    assert (output["answer"] == "Unknown") == (points == 0)
    assert bool(output["evidence"]) == (points > 0)
    assert output["usage"]["model_calls"] == (4 if points else 3)


async def test_a_local_search_answers_from_the_graph(communities: Path) -> None:
    output = await replay(communities, "Which river does the Iron Bridge cross?", strategy="local")
    assert [step["kind"] for step in output["steps"]] == ["entities", "context", "read"]
    assert output["steps"][0]["title"] == "Entities: Iron Bridge"
    assert output["answer"] != "Unknown"
    assert output["citations"]
    assert {each["passage_id"] for each in output["citations"]} <= set(
        passage_ids(output["evidence"])
    )
    assert output["usage"]["model_calls"] == 1
