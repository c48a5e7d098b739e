"""The graphs as they are drawn in Studio and in the documentation."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from hopyard.graphs import router


def test_the_agent(snapshot: SnapshotAssertion) -> None:
    drawing = router.graph.get_graph(xray=True).draw_mermaid(with_styles=False)
    assert drawing == snapshot


@pytest.mark.parametrize("name", sorted(router.STRATEGY_GRAPHS))
def test_each_strategy(name: str, snapshot: SnapshotAssertion) -> None:
    graph = router.STRATEGY_GRAPHS[name]
    assert graph.get_graph().draw_mermaid(with_styles=False) == snapshot


def test_names_are_those_of_the_settings() -> None:
    """What `--strategy` takes, what the agent runs and what a trace says are one name."""
    from hopyard.state.settings import STRATEGIES

    assert set(router.STRATEGY_GRAPHS) == set(STRATEGIES)
    for name, graph in router.STRATEGY_GRAPHS.items():
        assert graph.get_name() == name
