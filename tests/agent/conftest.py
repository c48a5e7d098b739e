"""An index about bridges, and a chat model that answers from a script."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from pydantic import PrivateAttr

import hopyard
from hopyard.testing import DOCUMENTS, ScriptedChat, WordEmbedder

QUESTION = "When was the Iron Bridge opened?"
SETTINGS: dict[str, Any] = {
    "embedding": "words",
    "profile": "builtin",
    "gate": "off",
    "strategy": "single",
}


class Scripted(BaseChatModel):
    """A LangChain chat model of a user's own."""

    version: str = "1"
    api_key: str = "sk-a-secret"
    _chat: ScriptedChat = PrivateAttr(
        default_factory=lambda: ScriptedChat({"Answer": {"answer": "1781"}})
    )

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError

    def with_structured_output(self, schema: Any, **options: Any) -> Any:
        return self._chat.with_structured_output(schema, **options)

    @property
    def asked(self) -> int:
        return len(self._chat.requests)


@pytest.fixture
def chat() -> Scripted:
    return Scripted()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hopyard.register_embedding("words", WordEmbedder())
    directory = tmp_path_factory.mktemp("bridges") / "index"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOPYARD_HOME", str(directory.with_name("home")))
        hopyard.build_index(directory, DOCUMENTS, chunk_tokens=0, embedding="words")
    return directory


@pytest.fixture
def index(built: Path, tmp_path: Path) -> Path:
    """An index of the test's own, which is a copy."""
    hopyard.register_embedding("words", WordEmbedder())
    return shutil.copytree(built, tmp_path / "index")


@pytest.fixture
def hop(index: Path, chat: Scripted) -> Iterator[hopyard.Hopyard]:
    with hopyard.Hopyard(index, model=chat, settings=SETTINGS) as opened:
        yield opened
