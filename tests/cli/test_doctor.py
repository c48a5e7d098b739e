"""`hopyard doctor`: what answers, what does not, and the cure."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, Reply
from recordings import record_all

from hopyard.cli.doctor import commands, installation
from hopyard.cli.doctor.finding import Finding
from hopyard.models.recorded import RecordedCall
from hopyard.models.servers.abilities import Abilities, Form, keep

from .conftest import Ended, Run


@pytest.fixture(autouse=True)
def scripted(model: ModelServer, closed_address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", closed_address)
    model.answer = lambda title, messages: {"answer": "Paris"}


def findings(ended: Ended) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in ended.json["findings"]}


def test_a_damaged_file_of_the_index_is_found(hopyard: Run, index: Path, tmp_path: Path) -> None:
    damaged = shutil.copytree(index, tmp_path / "damaged")
    file = next(damaged.rglob("vectors.npy"))
    file.write_bytes(bytes(file.stat().st_size))
    ended = hopyard("doctor", "--index", damaged, "--json")
    assert "its checksum is wrong" in findings(ended)[f"index {damaged}"]["detail"]


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
    assert "fix the test" in chat["detail"]


def test_what_is_missing_is_named_with_its_cure(
    hopyard: Run, monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    monkeypatch.setattr(installation, "PACKAGES", ("no-such-package", "langgraph"))
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


@pytest.mark.parametrize("address", ["http://[::1", ""])
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


# What a named model can do


def test_a_named_model_is_asked_ten_questions(hopyard: Run, model: ModelServer) -> None:
    model.answer = lambda title, messages: {"answer": "Quell" if messages[0] else ""}
    ended = hopyard("doctor", "--model", "scripted", "--json")
    assert ended.code == 0
    results = ended.json["model"]
    assert len(model.calls) == 1 + 10
    assert (results["questions"], results["answered"], results["limit_seconds"]) == (10, 10, 180)
    right = {each["skill"]: (each["right"], each["asked"]) for each in results["skills"]}
    assert right["schema kept"] == (8, 10)  # the schema of `chain` needs more than an answer
    assert right["two facts joined"] == (1, 2)
    assert right["next search named"] == (0, 2)
    assert (results["profile"], results["strategy"]) == ("small", "single")
    assert results["recommendation"] == (
        "Use --model scripted --set profile=small --strategy single (fact read: 0 of 3)."
    )
    server = findings(ended)["server of scripted"]
    assert server["detail"] == (
        "structured output: json_schema; window: unknown; 8 of 10 outputs fit"
    )


def test_a_person_reads_a_short_table(hopyard: Run, model: ModelServer) -> None:
    model.answer = lambda title, messages: {"answer": "Unknown"}
    ended = hopyard("doctor", "--model", "scripted")
    assert "scripted answered 10 of 10 questions in" in ended.out
    assert "(limit: 180 s)" in ended.out
    assert re.search(r"unanswerable recognised +2 of 2", ended.out)
    assert ended.out.rstrip().endswith("(fact read: 0 of 3).")


def test_a_model_that_keeps_no_schema_is_not_well(hopyard: Run, model: ModelServer) -> None:
    def paris(title: str, messages: list[dict[str, Any]]) -> Any:
        return {"answer": "Paris"} if "France" in messages[-1]["content"] else "no"

    model.answer = paris
    ended = hopyard("doctor", "--model", "scripted", "--json")
    assert ended.code == 1
    assert not findings(ended)["server of scripted"]["ok"]


def test_the_server_is_asked_again_what_it_accepts(
    hopyard: Run, model: ModelServer, home: Path
) -> None:
    weak = Abilities(Form.PLAIN, frozenset({"seed"}), 4096)
    keep("scripted", weak)
    model.answer = lambda title, messages: {"answer": "Paris"}
    hopyard("doctor", "--json")
    assert "seed" not in model.calls[-1].payload
    ended = hopyard("doctor", "--model", "scripted", "--json")
    assert ended.json["model"]["server"] == {
        "form": "json_schema",
        "forms": {},
        "left_out": [],
        "window": 0,
    }
    assert all("seed" in call.payload for call in model.calls[1:])


def test_weights_that_nobody_named_are_not_fetched(
    hopyard: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOPYARD_MODEL")
    monkeypatch.setattr(installation, "find_files", lambda model: None)
    fetched: list[str] = []

    def looks(name: str) -> Callable[..., Finding]:
        def look(*_: object, **__: object) -> Finding:
            fetched.append(name)
            return Finding(name, True, "")

        return look

    for name in ("_chat", "_embedding"):
        monkeypatch.setattr(commands, name, looks(name))
    found = findings(hopyard("doctor", "--json"))
    weights = found["weights of the built-in chat model"]
    assert weights["cure"] == "`hopyard doctor --model builtin` fetches them now"
    assert not weights["needed"]
    assert "_chat" not in fetched
    monkeypatch.setenv("HOPYARD_EMBEDDING", "builtin:minilm")
    minilm = findings(hopyard("doctor", "--json"))[f"weights of {installation.MINILM.name}"]
    assert minilm["cure"] == "`hopyard doctor --embedding builtin:minilm` fetches them now"
    monkeypatch.setattr(commands, "_ask_questions", lambda *_: {})
    hopyard("doctor", "--model", "builtin", "--embedding", "builtin", "--json")
    assert fetched[-2:] == ["_chat", "_embedding"]
