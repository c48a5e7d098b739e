"""People with tokens of their own: each with threads and groups of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer
from starlette.testclient import TestClient

import hopyard
from hopyard.agent.people import Person, read_people
from hopyard.state.errors import UsageError
from hopyard.state.settings.given import Given
from hopyard.state.settings.sources import change_context, home
from hopyard.testing import DOCUMENTS, WordEmbedder
from hopyard.web.threads import ROUTES

from .conftest import QUESTION, served

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
    lines = [
        {"id": each.id, "title": each.title, "text": each.text, "metadata": {"groups": groups}}
        for each in DOCUMENTS
        for groups in ("staff" if "Iron Bridge" in each.text else "everyone",)
    ]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "all.jsonl").write_text("\n".join(map(json.dumps, lines)))
    kinds = ["dense", "sparse", "entity-graph", "communities"]
    hopyard.build_index(
        tmp_path / "index", tmp_path / "docs", kinds=kinds, chunk_tokens=0, embedding="words"
    )
    return tmp_path / "index"


@pytest.fixture
def people(tmp_path: Path) -> Collection[Person]:
    (tmp_path / "people.toml").write_text(PEOPLE)
    return read_people(tmp_path / "people.toml")


@pytest.fixture
def clients(given: Given, people: Collection[Person]) -> Iterator[dict[str, TestClient]]:
    """A client for each person of one server."""
    with served(given, people=people) as opened:
        found = {}
        for each in people:
            headers = {"authorization": f"Bearer {each.token}"}
            client = TestClient(opened.app, base_url="http://localhost", headers=headers)
            client.portal = opened.portal  # one event loop for all
            found[each.name] = client
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


def test_each_person_pays_from_a_day_of_their_own(
    given: Given, people: Collection[Person], model_server: ModelServer
) -> None:
    context = change_context(given.context, {"budget": {"person_tokens": 10}})
    ann, _, owner = people
    with served(replace(given, context=context), people=people) as client:

        def answer(person: Person) -> str:
            client.headers["authorization"] = f"Bearer {person.token}"
            question = f"{QUESTION} {len(model_server.calls)}"
            return client.get(f"/api/threads/{asked(client, question)}").text

        assert "1781" in answer(ann)
        assert "for today, of 'ann', is used up" in answer(ann)
        assert "used up" not in answer(owner)


def test_a_thread_keeps_its_own_limits_and_takes_those_of_the_server(
    given: Given, people: Collection[Person], model_server: ModelServer
) -> None:
    ann, *_ = people

    def ask(budget: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
        limited = replace(given, context=change_context(given.context, {"budget": budget}))
        with served(limited, ann.token, people=people) as client:
            body = {"question": f"{QUESTION} {len(model_server.calls)}", **more}
            thread = client.post("/api/threads", json=body).json()["thread"]
            return {"thread": thread, "events": client.get(f"/api/threads/{thread}/events").text}

    first = ask({}, {})
    limited = ask({}, {"thread": first["thread"], "limits": {"calls": -1}})
    assert "1781" in first["events"] and "budget.calls" in limited["events"]
    again = ask({"person_tokens": 1}, {"thread": first["thread"]})
    assert "for today, of 'ann', is used up" in again["events"]


def test_pages_show_the_documents_of_the_own_groups(clients: dict[str, TestClient]) -> None:
    bob, ann = clients["bob"], clients["ann"]
    for address in (
        "/api/documents",
        f"/api/document?id={HIDDEN}",
        f"/api/search?text={QUESTION}&method=hybrid&method=sparse&method=dense",
        f"/api/place?passage={HIDDEN}",
        f"/api/original?document={HIDDEN}",
        f"/api/picture?document={HIDDEN}&page=1",
        "/api/entities",
        "/api/entities?name=iron bridge",
        *(f"/api/original?document={each.id}" for each in DOCUMENTS),
    ):
        told = bob.get(address)
        assert "1781" not in told.text
        assert f'"{HIDDEN}"' not in told.text
        assert "Iron Bridge" not in told.text.replace(QUESTION, "")
    assert "1781" in ann.get(f"/api/document?id={HIDDEN}").text
    assert "1781" in ann.get("/api/original?document=danube").text
    assert "Iron Bridge" in ann.get("/api/entities").text
    assert ann.get("/api/entities").json()["communities"]
    assert bob.get("/api/documents").json()["counts"]["passages"] == len(DOCUMENTS) - 2
    assert ann.get("/api/documents").json()["all"] == len(DOCUMENTS)


def test_only_a_person_without_groups_changes_or_measures_the_index(
    clients: dict[str, TestClient],
) -> None:
    for method, path in [
        ("POST", "/api/change/remove"),
        ("GET", "/api/measure"),
        ("POST", "/api/measure"),
        ("GET", "/api/measure/trace.json"),
        ("POST", "/api/questions"),
    ]:
        for name in ("ann", "bob"):
            assert clients[name].request(method, path, json={}).status_code == 403
        assert clients["owner"].request(method, path, json={}).status_code in {200, 400}
    assert [clients[name].get("/api/status").json()["owner"] for name in ("bob", "owner")] == [
        False,
        True,
    ]


def test_a_run_that_a_server_left_continues_with_the_rights_of_now(
    given: Given, chat: ModelServer, people: Collection[Person]
) -> None:
    notes = home() / "serving"
    notes.mkdir(parents=True)
    for owner in ("bob", "eve"):
        left = {"thread": f"{owner}/1", "question": QUESTION, "index": given.context.index}
        left |= {"owner": owner, "groups": ["staff"]}
        (notes / f"{owner}.json").write_text(json.dumps(left))
    with served(given, "the token of Bob", people=people) as bob:
        bob.get("/api/threads/bob/1/events")
    assert "Danube" in str(chat.calls)
    assert "Iron Bridge was" not in str(chat.calls)
    assert [call.title for call in chat.calls].count("Answer") == 1  # Eve is gone


def test_groups_of_the_server_restrict_whoever_has_none(given: Given) -> None:
    closed = replace(given, context=change_context(given.context, {"groups": ("other",)}))
    with served(closed) as client:
        assert f'"{HIDDEN}"' not in client.get("/api/documents").text
        assert client.get("/api/change").status_code == 403


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
        ("# nobody", "names nobody"),
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
