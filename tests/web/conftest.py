"""A server over an index about bridges, with a chat model that answers from a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from model_server import Answer, ModelServer
from starlette.testclient import TestClient

import hopyard
from hopyard.nodes.resources import Resources
from hopyard.state.settings.given import Given, read_given
from hopyard.testing import DOCUMENTS, WordEmbedder
from hopyard.web.app import application

QUESTION = "When was the Iron Bridge opened?"
ANSWER = {"answer": "It was opened in 1781 [1].", "passages": [1]}
HTML = '<p>It was opened in 1781 <a class="mark" href="#source-1">[1]</a>.</p>'


@pytest.fixture
def index(tmp_path: Path) -> Path:
    hopyard.register_embedding("words", WordEmbedder())
    directory = tmp_path / "index"
    hopyard.build_index(directory, DOCUMENTS, chunk_tokens=0, embedding="words")
    return directory


@pytest.fixture
def chat(model_server: ModelServer) -> ModelServer:
    model_server.answer = replies({"Answer": ANSWER})
    return model_server


def replies(table: Mapping[str, Any]) -> Answer:
    """Answers by the name of the output; of a list one after the other, the last one again."""
    given = {name: iter(found) for name, found in table.items() if isinstance(found, list)}
    last: dict[str, Any] = {}

    def answer(title: str, _: list[dict[str, Any]]) -> Any:
        if title not in given:
            return table[title]
        last[title] = next(given[title], last.get(title))
        return last[title]

    return answer


@pytest.fixture
def given(index: Path, chat: ModelServer) -> Given:
    del chat
    settings = {
        "index": str(index),
        "model": "scripted",
        "embedding": "words",
        "profile": "capable",
        "gate": "off",
        "strategy": "single",
    }
    return read_given(settings.items())


@pytest.fixture
def client(given: Given) -> Iterator[TestClient]:
    with Resources() as resources:
        app = application(given, resources)
        with TestClient(app, base_url="http://localhost") as opened:
            yield opened
