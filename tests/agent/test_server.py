"""The settings of a server's run, and the variables that LangGraph's server reads."""

from __future__ import annotations

import pytest

from hopyard.agent import studio
from hopyard.agent.server import AGENT, ServerContext, configuration
from hopyard.state.errors import UsageError
from hopyard.state.strategy import STRATEGIES
from hopyard.state.tree import TreeSettings


def test_a_request_goes_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPYARD_INDEX", "bridges")
    monkeypatch.setenv("HOPYARD_STRATEGY", "tree")
    monkeypatch.setenv("HOPYARD_RETRIEVAL__SNIPPET_TOKENS", "70")
    monkeypatch.setenv("HOPYARD_TREE__MAX_DEPTH", "2")
    asked = {"strategy": "single", "retrieval": {"k": 3}, "tree": {"theta": 0.5}}
    context = ServerContext.model_validate(asked)
    assert (context.index, context.strategy) == ("bridges", "single")
    assert (context.retrieval.k, context.retrieval.snippet_tokens) == (3, 70)
    tree = TreeSettings.of(context)
    assert (tree.theta, tree.max_depth) == (0.5, 2)


def test_an_empty_request_takes_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPYARD_INDEX", "bridges")
    assert ServerContext().index == "bridges"


def test_a_request_that_cannot_be_used_names_the_setting() -> None:
    with pytest.raises(UsageError, match=r"'retrieval\.k' is not usable"):
        ServerContext.model_validate({"retrieval": {"k": 0}})


def test_every_graph_of_the_configuration_is_a_variable() -> None:
    graphs = configuration()["graphs"]
    assert set(graphs) == {AGENT, *STRATEGIES}
    for name, graph in graphs.items():
        assert graph["path"] == f"{studio.__name__}:{name}"
        served = vars(studio)[name]
        assert served.get_name() == name
        assert served.context_schema is ServerContext
