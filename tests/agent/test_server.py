"""The settings of a server's run, and the variables that LangGraph's server reads."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langgraph_sdk.auth.exceptions import HTTPException

from hopyard.agent import studio
from hopyard.agent.people import auth
from hopyard.agent.server import AGENT, ServerContext, configuration, server_graphs
from hopyard.nodes.run import _of_user
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Budget, Context
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


def test_a_request_cannot_choose_groups_or_another_index_of_a_server_with_rights(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOPYARD_INDEX", "own")
    assert ServerContext(index="other", groups=("board",)).groups is None
    monkeypatch.setenv("HOPYARD_GROUPS", "staff")
    assert ServerContext(groups=None).groups == ("staff",)
    assert ServerContext(index="own").index == "own"
    with pytest.raises(UsageError, match="its own index only"):
        ServerContext(index="other")
    monkeypatch.delenv("HOPYARD_GROUPS")
    monkeypatch.setenv("LANGGRAPH_AUTH", '{"path": "my_auth.py:auth"}')
    with pytest.raises(UsageError, match="its own index only"):
        ServerContext(index="other")


def test_a_request_cannot_raise_limits_that_many_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPYARD_BUDGET__PERSON_TOKENS", "500")
    shared = {"day_tokens": 0, "person_tokens": 0, "person": "bob", "minute_requests": 900}
    budget = ServerContext.model_validate({"budget": {"calls": 3, **shared}}).budget
    assert budget == Budget(calls=3, person_tokens=500)


def test_a_run_is_paid_for_by_the_user_of_the_server() -> None:
    settings = _of_user(Context(), {"identity": "ann", "groups": ["staff"]})
    assert (settings.budget.person, settings.groups) == ("ann", ("staff",))
    assert _of_user(Context(groups=("own",)), {"identity": "ann"}).groups == ("own",)


def test_people_need_an_authentication_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPYARD_PEOPLE", "people.toml")
    with pytest.raises(UsageError, match="names no authentication"):
        server_graphs()
    monkeypatch.setenv("LANGGRAPH_AUTH", json.dumps(configuration()["auth"]))
    assert AGENT in server_graphs()


@pytest.mark.asyncio
async def test_people_of_a_server_have_groups_and_threads_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "auth" not in configuration()
    file = tmp_path / "people.toml"
    file.write_text('[ann]\ntoken = "the token of Ann"\ngroups = "hr"')
    monkeypatch.setenv("HOPYARD_PEOPLE", str(file))
    assert configuration()["auth"]["path"] == "hopyard.agent.people.auth:auth"
    assert await auth._person("Bearer the token of Ann") == {"identity": "ann", "groups": ["hr"]}
    with pytest.raises(HTTPException):
        await auth._person("Bearer the token of Eve")
    metadata = {"owner": "bob"}  # the server keeps this very dict
    assert await auth._own(_asked("threads", "create"), {"metadata": metadata}) == {"owner": "ann"}
    assert metadata == {"owner": "ann"}
    assert await auth._own(_asked("assistants", "read"), {}) is None
    for asked in (
        _asked("assistants", "update"),
        _asked("store", "get"),
        _asked("crons", "create"),
    ):
        with pytest.raises(HTTPException):
            await auth._own(asked, {})


def _asked(resource: Any, action: Any) -> Any:
    return SimpleNamespace(resource=resource, action=action, user=SimpleNamespace(identity="ann"))
