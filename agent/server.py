"""The graphs for LangGraph's server and Studio, and the `langgraph.json` that names them.

A server's request gives settings that differ from the environment's, not all of them: here the
environment and `hopyard.toml` fill in the rest. `python -m hopyard.agent.server` prints the
`langgraph.json` of the strategies that are installed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, Final

from pydantic import model_validator

from hopyard.agent.people import PEOPLE_FILE, SHARED
from hopyard.graphs import router
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import read_context
from hopyard.state.strategy import strategies

AGENT: Final = "hopyard"
"""The name of the whole agent: gate, route, and the strategy that they choose."""

DESCRIPTION: Final = (
    "Answers a question from the indexed documents. It retrieves as much as the question needs: "
    "nothing, one search, a chain or tree of sub-questions, or hops over a graph of passages. It "
    "returns the answer, supporting quotes, and every step."
)


_AUTHENTICATION: Final = "LANGGRAPH_AUTH"
"""The variable in which LangGraph's server has the authentication of its `langgraph.json`."""


class ServerContext(Context):
    """The settings of a server's run: those of the request over the environment's."""

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, values: Any) -> Any:
        if not isinstance(values, Mapping):
            return values
        given = {
            name: value.model_dump(exclude_unset=True) if hasattr(value, "model_dump") else value
            for name, value in values.items()
        }
        own = read_context({})
        given.pop("groups", None)  # they are the server's to say, and so is what many share
        if isinstance(budget := given.get("budget"), Mapping):
            given["budget"] = {name: budget[name] for name in budget.keys() - SHARED}
        if given.get("index", own.index) != own.index and is_closed(own):
            raise UsageError("The server answers from its own index only: leave out `index`.")
        return read_context(given).model_dump()


def is_closed(own: Context) -> bool:
    """Whether a server keeps to rights: it has people, other users, or groups of its own."""
    return own.groups is not None or PEOPLE_FILE in os.environ or _has_users()


def _has_users() -> bool:
    return bool(os.environ.get(_AUTHENTICATION))


def describe() -> dict[str, str]:
    """The purpose of each graph by its name.

    The agent is last: a server lists the assistant that it made last first, ten at a time.
    """
    return {strategy.name: strategy.about for strategy in strategies()} | {AGENT: DESCRIPTION}


def server_graphs() -> dict[str, Any]:
    """The compiled graphs by name, the agent's and each strategy's, with a server's settings.

    Raises:
        UsageError: The server has people, but does not ask who sends a request.
    """
    if PEOPLE_FILE in os.environ and not _has_users():
        raise UsageError(
            f"{PEOPLE_FILE} is set, but langgraph.json names no authentication, so every caller "
            "could read every document: run `python -m hopyard.agent.server > langgraph.json`."
        )
    graphs = {strategy.name: strategy.load_graph() for strategy in strategies()}
    graphs[AGENT] = router.graph
    return {name: graph.copy({"context_schema": ServerContext}) for name, graph in graphs.items()}


def configuration() -> dict[str, Any]:
    """The `langgraph.json` of the strategies that are installed, and of the people if any."""
    people = {"auth": {"path": "hopyard.agent.people.auth:auth", "disable_studio_auth": True}}
    return {
        **(people if PEOPLE_FILE in os.environ else {}),
        "$schema": "https://langgra.ph/schema.json",
        "dependencies": ["."],
        "graphs": {
            name: {"path": f"hopyard.agent.studio:{name}", "description": about}
            for name, about in describe().items()
        },
        "checkpointer": {"path": "hopyard.state.storage.checkpoints.create"},
        "http": {"app": "hopyard.cli.mcp.http:app", "disable_mcp": True},
    }


if __name__ == "__main__":
    print(json.dumps(configuration(), indent=2, ensure_ascii=False))
