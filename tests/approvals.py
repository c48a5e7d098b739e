"""Requests for an approval, read as an interface reads them, and the decisions that it sends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

APPROVE = {"decisions": [{"type": "approve"}]}
REJECT = {"decisions": [{"type": "reject", "message": "No, thank you."}]}


def edit(name: str, **arguments: Any) -> dict[str, Any]:
    """The decision to do it with other arguments."""
    action = {"name": name, "args": arguments}
    return {"decisions": [{"type": "edit", "edited_action": action}]}


def action(asked: Mapping[str, Any]) -> str:
    """What is to be approved."""
    [request], [config] = asked["action_requests"], asked["review_configs"]
    assert config["action_name"] == request["name"]
    return str(request["name"])


def question(asked: Mapping[str, Any]) -> str:
    """The question that it is about."""
    return str(asked["action_requests"][0]["args"]["question"])


def proposed(asked: Mapping[str, Any]) -> Any:
    """What is proposed."""
    arguments = asked["action_requests"][0]["args"]
    [name] = set(arguments) - {"question"}
    return arguments[name]


def about(asked: Mapping[str, Any]) -> str:
    """What the request says."""
    return str(asked["action_requests"][0]["description"])
