"""`hopyard doctor`: what answers, what does not, and the cure."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Reply
from recordings import record_all

from hopyard.cli import doctor
from hopyard.models.recorded import RecordedCall

from .conftest import Ended, Run


@pytest.fixture(autouse=True)
def scripted(model: ModelServer, closed_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", closed_address)
    model.answer = lambda title, messages: {"answer": "Paris"}


def findings(ended: Ended) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in ended.json["findings"]}


def test_all_is_well_with_models_that_answer(hopyard: Run, index: Path) -> None:
    ended = hopyard("doctor", "--index", index, "--json")
    assert ended.code == 0
    assert ended.json["ok"] is True
    found = findings(ended)
    assert set(found["python"]) == {"name", "ok", "detail", "cure", "needed"}
    assert "'Paris'" in found["chat model scripted"]["detail"]
    assert found["embedding model words"]["detail"] == "32 dimensions"
    assert "3 documents" in found[f"index {index}"]["detail"]
    assert not found["Ollama"]["ok"]
    assert not found["Ollama"]["needed"]


def test_a_recording_is_not_asked(hopyard: Run, folder: Path) -> None:
    record_all(folder / "calls", [("a" * 32, RecordedCall(output="{}"))])
    ended = hopyard("doctor", "--model", "recorded:calls", "--json")
    assert ended.code == 0
    found = findings(ended)["chat model recorded:calls"]
    assert found["detail"] == "replays 1 recorded calls, and answers no other"
    assert hopyard("doctor", "--model", "recorded:nowhere").code == 1


def test_an_answer_from_the_ledger_proves_nothing(hopyard: Run, model: ModelServer) -> None:
    hopyard("doctor", "--json")
    hopyard("doctor", "--json")
    assert len(model.calls) == 2


def test_a_model_that_does_not_answer_is_not_well(hopyard: Run, model: ModelServer) -> None:
    model.answer = lambda title, messages: Reply(401)
    ended = hopyard("doctor", "--json")
    assert ended.code == 1
    assert ended.json["ok"] is False
    chat = findings(ended)["chat model scripted"]
    assert not chat["ok"]
    assert "mend the test" in chat["detail"]


def test_what_is_missing_is_named_with_its_cure(
    hopyard: Run, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setattr(doctor, "PACKAGES", ("no-such-package", "langgraph"))
    ended = hopyard(
        "doctor", "--model", "llama", "--embedding", "x", "--index", "missing", "--json"
    )
    assert ended.code == 1
    found = findings(ended)
    assert found["no-such-package"]["cure"] == "pip install no-such-package"
    assert found["langgraph"]["ok"]
    assert "ollama:NAME" in found["chat model llama"]["detail"]
    assert "provider:NAME" in found["embedding model x"]["detail"]
    assert "hopyard index build" in found["index missing"]["detail"]


def test_a_running_ollama_is_listed(
    hopyard: Run, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.models = ("llama3.1:8b", "nomic-embed-text:latest")
    for address in (model.address, model.address.removeprefix("http://")):
        monkeypatch.setenv("OLLAMA_HOST", address)
        ollama = findings(hopyard("doctor", "--json"))["Ollama"]
        assert ollama["ok"]
        assert ollama["detail"].endswith(": llama3.1:8b, nomic-embed-text:latest")
        assert model.address in ollama["detail"]


@pytest.mark.parametrize("address", ["::nonsense::", "http://[::1", "", "127.0.0.1:1/x"])
def test_an_odd_address_of_ollama_is_no_fault(
    hopyard: Run, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", address)
    ended = hopyard("doctor", "--json")
    assert ended.code == 0
    assert not findings(ended)["Ollama"]["ok"]


def test_a_person_reads_a_mark_for_each_finding(hopyard: Run) -> None:
    ended = hopyard("doctor")
    assert ended.code == 0
    assert re.search(r"✓ +python", ended.out)
    assert re.search(r"– +Ollama", ended.out)
    assert "Ready." in ended.out
    not_ready = hopyard("doctor", "--model", "llama")
    assert not_ready.code == 1
    assert re.search(r"✗ +chat model llama", not_ready.out)
    assert "Not ready" in not_ready.out
