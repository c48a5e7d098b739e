"""Replies of a scripted model to `chain`, and a chain that it answers."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hopyard.graphs import chain
from hopyard.models.embeddings import register_embedder
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context
from hopyard.testing.contract import EMBEDDING, MODEL
from hopyard.testing.models import ScriptedChat, WordEmbedder

Ask = Callable[..., Any]

BOTH = "Which bridge is older, the Iron Bridge or the Stone Bridge?"


class Steps:
    """Gives one reply after the other; a reply may be a function of the turn."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.names: list[str] = []
        self.turns: list[str] = []

    def __call__(self, name: str, messages: list[dict[str, Any]]) -> Any:
        self.names.append(name)
        self.turns.append(messages[-1]["content"])
        reply = self.replies.pop(0)
        return reply(self.turns[-1]) if callable(reply) else reply


def asker(index: Path, home: Path, **retrieval: Any) -> Ask:
    """Ask a chain whose model gives these replies; the second value is what it was shown."""
    register_embedder(EMBEDDING, WordEmbedder())

    async def run(question: str, *replies: Any, **settings: Any) -> tuple[dict[str, Any], Steps]:
        steps = Steps(*replies)
        ScriptedChat(steps).register(MODEL)
        base = Context.model_validate({"index": str(index), "model": MODEL, "embedding": EMBEDDING})
        context = change_context(base, {"retrieval": {"k": 2, **retrieval}, **settings})
        with Resources(home) as resources:
            output = await chain.graph.ainvoke(
                {"question": question}, config_with(resources), context=context
            )
        return output, steps

    return run


def number_of(title: str, turn: str) -> int:
    """The number that a passage has in a turn."""
    found = re.search(rf"^\[(\d+)\] {title}: ", turn, re.MULTILINE)
    assert found, f"{title} is not shown in\n{turn}"
    return int(found.group(1))


def found(fact: str, title: str, turn: str) -> dict[str, Any]:
    return {"fact": fact, "passage": number_of(title, turn)}


def search(*texts: str, findings: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"kind": "search", "searches": list(texts), "findings": findings or []}
