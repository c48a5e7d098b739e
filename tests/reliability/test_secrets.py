"""A planted key, a password in an address and a header are in nothing that is written."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import Ended, Zygote
from model_server import ModelServer, Reply

from hopyard.state.sub_questions import step_id
from hopyard.state.text.secrets import redact

from ..graphs.script import full_tree, request_of
from ..indexes.kinds.passage_graph.script import people
from .conftest import EMBEDDING, Everything

KEY = "sk-planted-0123456789abcdef"
PASSWORD = "planted-pass-9876"  # noqa: S105
HEADER = "planted-header-4242"
BASIC = base64.b64encode(f"user:{PASSWORD}".encode()).decode()
CHECKPOINT_KEY = "5ec4e7" * 10 + "abcd"
PLANTED = (KEY, PASSWORD, HEADER, BASIC, CHECKPOINT_KEY)
TOLD_BACK = (
    f"Authorization: Bearer {KEY}, Basic {BASIC}, X-Token: {HEADER}, http://user:{PASSWORD}@h"
)
"""What a server that repeats its request would put into an error."""
MODELS = ("--model", "openai:scripted", "--embedding", EMBEDDING)


def _environment(server: ModelServer) -> dict[str, str]:
    host = server.address.removeprefix("http://")
    return server.environment() | {
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": f"http://user:{PASSWORD}@{host}/v1",
        "PROXY_AUTH_HEADERS": f"X-Token: {HEADER}",
        "HOPYARD_CHECKPOINT_KEY": CHECKPOINT_KEY,
    }


class Tattling(Everything):
    """Refuses what is asked about `left`, and says what it was sent."""

    status = 400

    def __call__(self, title: str, messages: list[dict[str, Any]]) -> Any:
        kind, question = ("", "")
        if title != "PassageQuestions":
            kind, question = request_of(title, messages)
        if kind == "read" and "left" in question:
            return Reply(self.status, body={"error": {"message": TOLD_BACK}})
        return super().__call__(title, messages)


@pytest.mark.skipif(sys.platform != "linux", reason="fork")
def test_no_secret_is_written_anywhere(
    zygote: Zygote, model_server: ModelServer, index: Path, home: Path, tmp_path: Path
) -> None:
    model_server.answer = tattling = Tattling()
    tattling.lines = full_tree("All?", 2)
    environment = _environment(model_server)
    corpus = tmp_path / "corpus.jsonl"
    lines = [{"id": each.id, "title": each.title, "text": each.text} for each in people(3)]
    corpus.write_text("\n".join(map(json.dumps, lines)))
    ended: list[Ended] = []

    def run(*arguments: Any) -> Ended:
        ended.append(zygote.run(*arguments, environment=environment))
        return ended[-1]

    ask = ("ask", "All?", "-s", "tree", "-i", index, "-t")
    built = ("--out", tmp_path / "built", "--with", "dense,passage-graph", "--json")
    assert run("--debug", "index", "build", corpus, *built, *MODELS).code == 0
    assert run("--debug", *ask, "refused", *MODELS, "--json").code == 0
    tattling.status = 401
    for debug in ((), ("--debug",)):
        failed = run(*debug, *ask, f"failed{len(debug)}", *MODELS, "--set", f"seed={len(debug)}")
        assert failed.code == 4
        assert "***" in failed.err  # it was there to be hidden
    run("threads", "show", "refused", "--json")
    run("doctor", *MODELS)
    run("settings", "--json")
    written = [each for root in (home, tmp_path / "built") for each in root.rglob("*")]
    texts = {str(each): each.read_bytes() for each in written if each.is_file()}
    texts |= {f"output {n}": (each.out + each.err).encode() for n, each in enumerate(ended)}
    assert len(texts) > 15
    for place, data in texts.items():
        for secret in PLANTED:
            assert secret.encode() not in data, place


@pytest.mark.skipif(sys.platform != "linux", reason="fork")
def test_the_reason_of_a_refused_branch_is_kept_without_the_secret(
    zygote: Zygote, model_server: ModelServer, index: Path
) -> None:
    """Checkpoints are compressed: what stands in them is read back, not searched for."""
    model_server.answer = tattling = Tattling()
    tattling.lines = full_tree("All?", 1)
    environment = _environment(model_server)
    asked = ("ask", "All?", "-s", "tree", "-i", index, "-t", "t", *MODELS, "--json")
    result = zygote.run(*asked, environment=environment).json
    [left] = [step for step in result["steps"] if step["id"] == step_id("1")]
    assert "Bearer ***, Basic ***" in left["reason"]
    assert all(secret not in json.dumps(result) for secret in PLANTED)


def test_an_ordinary_text_is_not_redacted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "none")
    text = "none of it: http://127.0.0.1:8080/v1 and me@example.org"
    assert redact(text) == text
