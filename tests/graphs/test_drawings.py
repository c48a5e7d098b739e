"""The graphs as they are drawn in Studio and in the documentation."""

from __future__ import annotations

import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from hopyard.agent.server import AGENT, describe
from hopyard.graphs import router
from hopyard.state.strategy import STRATEGIES

DOCS = Path(__file__).parents[2] / "docs"


def test_the_agent(snapshot: SnapshotAssertion) -> None:
    drawing = router.graph.get_graph(xray=True).draw_mermaid(with_styles=False)
    assert drawing == snapshot


@pytest.mark.parametrize("name", sorted(STRATEGIES))
def test_each_strategy(name: str, snapshot: SnapshotAssertion) -> None:
    graph = STRATEGIES[name].load_graph()
    assert graph.get_graph().draw_mermaid(with_styles=False) == snapshot


def test_names_are_those_of_the_settings() -> None:
    """What `--strategy` takes, what the agent runs and what a trace says are one name."""
    assert set(STRATEGIES) <= set(router.graph.nodes)
    for name, strategy in STRATEGIES.items():
        assert strategy.name == strategy.load_graph().get_name() == name


@pytest.fixture
def drawings() -> Any:
    """The program that `make docs` runs."""
    spec = spec_from_file_location("draw_graphs", DOCS / "draw_graphs.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pictures_in_the_documentation_are_up_to_date(drawings: Any) -> None:
    assert drawings.studio() == drawings.STUDIO.read_text("utf-8"), "run `make docs`"
    assert drawings.extending() == drawings.EXTENDING.read_text("utf-8"), "run `make docs`"


def test_langgraph_json_names_every_graph(drawings: Any) -> None:
    written = drawings.CONFIGURATION.read_text("utf-8")
    assert drawings.langgraph_json() == written, "run `make docs`"
    assert set(json.loads(written)["graphs"]) == {AGENT, *STRATEGIES}


def test_every_graph_is_described_and_drawn(drawings: Any) -> None:
    page = drawings.studio()
    assert set(describe()) == {AGENT, *STRATEGIES}
    for name, description in describe().items():
        assert f"### {name}\n\n{description}\n\n```mermaid\n" in page
