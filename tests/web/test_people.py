"""People with tokens of their own: each with threads and groups of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import hopyard
from hopyard.agent.people import read_people
from hopyard.nodes.resources import Resources
from hopyard.state.errors import UsageError
from hopyard.state.settings.given import Given
from hopyard.testing import DOCUMENTS, WordEmbedder
from hopyard.web import app
from hopyard.web.threads import ROUTES

from .conftest import QUESTION

PEOPLE = """
[ann]
token = "the token of Ann"
groups = ["staff"]

[bob]
token = "the token of Bob"
groups = ""

[owner]
token = "the token of the owner"
"""
HIDDEN = "iron-bridge"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    hopyard.register_embedding("words", WordEmbedder())
    documents = [
        replace(one, metadata={"groups": "staff" if one.id == HIDDEN else "everyone"})
        for one in DOCUMENTS
    ]
    hopyard.build_index(tmp_path / "index", documents, chunk_tokens=0, embedding="words")
    return tmp_path / "index"


@pytest.fixture
def clients(given: Given, tmp_path: Path) -> Iterator[dict[str, TestClient]]:
    """A client for each person of one server."""
    (tmp_path / "people.toml").write_text(PEOPLE)
    people = read_people(tmp_path / "people.toml")
    with Resources() as resources:
        served = app.application(given, resources, people=people)
        with TestClient(served, base_url="http://localhost") as opened:
            found = {}
            for one in people:
                headers = {"authorization": f"Bearer {one.token}"}
                found[one.name] = TestClient(served, base_url="http://localhost", headers=headers)
                found[one.name].portal = opened.portal  # one event loop for all
            yield found


def asked(client: TestClient, question: str = QUESTION) -> str:
    """Ask, wait for the end, and return the thread."""
    thread: str = client.post("/api/threads", json={"question": question}).json()["thread"]
    client.get(f"/api/threads/{thread}/events")
    return thread


def test_a_thread_is_seen_by_its_owner_alone(clients: dict[str, TestClient]) -> None:
    thread = asked(clients["ann"])
    assert thread.startswith("ann/")
    assert "1781" in clients["ann"].get(f"/api/threads/{thread}").text
    assert clients["bob"].get("/api/threads").json() == {"threads": []}
    for route in ROUTES:
        path = route.path.replace("{thread:path}", thread).replace("{form}", "json")
        path = re.sub(r"\{\w+:int\}", "1", path)
        for method in (route.methods or set()) if "{" in route.path else ():
            for name in ("bob", "owner"):
                refused = clients[name].request(method, path, json={"question": "?"})
                assert refused.status_code == 404, (method, path)
                assert "1781" not in refused.text
    taken = clients["bob"].post("/api/threads", json={"question": "?", "thread": thread})
    assert taken.status_code == 404
    assert clients["ann"].get(f"/api/threads/{thread}").status_code == 200


def test_pages_show_the_documents_of_the_own_groups(clients: dict[str, TestClient]) -> None:
    bob, ann = clients["bob"], clients["ann"]
    for address in (
        "/api/documents",
        f"/api/document?id={HIDDEN}",
        f"/api/search?text={QUESTION}&method=hybrid&method=sparse&method=dense",
        f"/api/place?passage={HIDDEN}",
        f"/api/original?document={HIDDEN}",
        f"/api/picture?document={HIDDEN}&page=1",
    ):
        told = bob.get(address)
        assert "1781" not in told.text
        assert f'"{HIDDEN}"' not in told.text
    assert "1781" in ann.get(f"/api/document?id={HIDDEN}").text
    assert ann.get("/api/documents").json()["all"] == len(DOCUMENTS)
    for client in (ann, bob):
        assert client.post("/api/change/remove", json={"id": HIDDEN}).status_code == 403
    assert clients["owner"].get("/api/change").status_code == 200
    for address in ("/api/entities", "/api/measure", "/api/measure/state"):
        assert "not for people with groups" in ann.get(address).text
    assert clients["owner"].get("/api/measure").status_code == 200


def test_a_conversation_of_another_person_begins_a_thread(clients: dict[str, TestClient]) -> None:
    def say(client: TestClient, *said: dict[str, str]) -> str:
        body = {"model": "hopyard", "messages": said}
        answer = client.post("/v1/chat/completions", json=body).json()
        return str(answer["choices"][0]["message"]["content"])

    question = {"role": "user", "content": QUESTION}
    answer = say(clients["ann"], question)
    told = {"role": "assistant", "content": answer}
    say(clients["bob"], question, told, {"role": "user", "content": "How long is the Danube?"})
    [thread] = clients["ann"].get("/api/threads").json()["threads"]
    assert thread["question"] == QUESTION
    assert len(clients["bob"].get("/api/threads").json()["threads"]) == 1


def test_a_stranger_is_refused(clients: dict[str, TestClient]) -> None:
    for token in ("", "the token of Eve", "ann"):
        headers = {"authorization": f"Bearer {token}"}
        assert clients["ann"].get("/api/threads", headers=headers).status_code == 401


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[ann", "Expected"),
        ('[ann]\ntoken = "short"', "at least 16"),
        ("[ann]\ngroups = []", "no token"),
        ('["a/b"]\ntoken = "0123456789abcdef"', "a slash"),
        (PEOPLE.replace("Bob", "Ann"), "twice"),
        (PEOPLE.replace("groups", "group"), "group: Extra"),
    ],
)
def test_a_bad_file_of_people_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "people.toml").write_text(text)
    with pytest.raises(UsageError, match=says):
        read_people(tmp_path / "people.toml")
