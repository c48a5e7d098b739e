"""Questions that are kept as tests, files of questions, and evaluations over HTTP."""

from __future__ import annotations

import time
from typing import Any

import pytest
from model_server import ModelServer
from starlette.testclient import TestClient

from hopyard.web import measuring

from .conftest import ANSWER, QUESTION, replies

BYTES = {"content-type": "application/octet-stream"}


def ended(client: TestClient) -> dict[str, Any]:
    while (state := client.get("/api/measure/state").json())["running"]:
        time.sleep(0.02)
    return dict(state)


def sets(client: TestClient) -> dict[str, Any]:
    found = client.get("/api/measure").json()["sets"]
    return {
        name: [(each["question"], each["answers"]) for each in held] for name, held in found.items()
    }


def test_questions_are_kept_replaced_and_forgotten(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def keep(question: str, answer: str) -> int:
        given = {"question": question, "answer": answer}
        return client.post("/api/questions", json=given).status_code

    assert keep(QUESTION, " ") == 400
    for answer in ("1780", "1781"):
        assert keep(f" {QUESTION}\n", answer) == 204
    assert keep("Why?", "So.") == 204
    assert sets(client) == {"kept": [(QUESTION, ["1781"]), ("Why?", ["So."])]}
    assert client.delete("/api/questions/kept?question=Why?").status_code == 204
    assert sets(client) == {"kept": [(QUESTION, ["1781"])]}
    two = b'{"id": "a", "question": "A?"}\n{"id": "b", "question": "B?"}\n'
    monkeypatch.setattr(measuring, "_MOST_QUESTIONS", 1)
    for name, content, says in [
        ("kept.jsonl", two, "already"),
        ("a.jsonl", two, "1 at most"),
        ("b.jsonl", b"{}", "docs/evaluation.md"),
        ("c.jsonl", b"\xff", "cannot be read"),
    ]:
        refused = client.put(f"/api/questions/{name}", content=content, headers=BYTES)
        assert (refused.status_code, says in refused.json()["error"]["message"]) == (400, True)
    assert [*sets(client)] == ["kept"]


def test_an_evaluation_shows_wrong_answers_and_continues_after_a_limit(
    client: TestClient, chat: ModelServer
) -> None:
    client.post("/api/questions", json={"question": QUESTION, "answer": "1781"})
    client.post("/api/questions", json={"question": "When was it painted?", "answer": "1980"})
    asked = {"set": "kept", "strategies": ["single"]}
    client.post("/api/measure", json={**asked, "calls": 1})
    assert ended(client)["stopped"] == "1 call"
    client.post("/api/measure", json=asked)
    state = ended(client)
    [row] = state["report"]
    assert (row["questions"], row["right"], row["calls"]) == (2, 0.5, 1.0)
    [wrong] = state["wrong"]
    assert (wrong["question"], wrong["right"]) == ("When was it painted?", ["1980"])
    assert len(chat.calls) == 2
    place = f"strategy=single&id={wrong['id']}"
    trace = client.get(f"/api/measure/trace.json?{place}").json()
    [call] = [call for step in trace["steps"][-1]["steps"] for call in step["calls"]]
    assert "When was it painted?" in str(call["messages"])
    assert ANSWER["answer"] in client.get(f"/api/measure/trace.html?{place}").text
    chat.answer = replies({})
    client.post("/api/measure", json=asked)  # the answers are kept
    assert ended(client)["report"] == [row]
    for given, says in [
        ({"set": "no"}, "no questions"),
        ({"set": "kept", "strategies": []}, "Choose"),
        ({"set": "kept", "strategies": ["x"]}, "no strategy"),
    ]:
        refused = client.post("/api/measure", json=asked | given)
        assert says in refused.json()["error"]["message"]
    offered = client.get("/api/measure").json()["strategies"]
    assert ("chain" in offered, "local" in offered) == (True, False)  # it needs an entity graph
    client.post("/api/measure", json={**asked, "strategies": ["local"]})
    assert "--with" in ended(client)["error"]
