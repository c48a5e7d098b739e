"""The resources of a process: each thing once, and everything closed together."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer, scripted_provider

from hopyard.classifiers.retrieval_gate import RetrievalGate
from hopyard.indexes.index import Index
from hopyard.models.chat import register_chat_provider
from hopyard.models.ledger import Ledger
from hopyard.nodes import resources as opened
from hopyard.nodes.resources import Resources, shared_resources


class Counted:
    """Stands for something that takes a moment to open."""

    made = 0

    @classmethod
    def open(cls, *_: Any) -> Counted:
        time.sleep(0.05)
        cls.made += 1
        return cls()

    def close(self) -> None:
        type(self).made -= 1


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> type[Counted]:
    Counted.made = 0
    monkeypatch.setattr(Index, "open", Counted.open)
    monkeypatch.setattr(RetrievalGate, "load", Counted.open)
    monkeypatch.setattr(opened, "embedder", lambda spec: None)
    return Counted


@pytest.mark.parametrize("what", ["index", "gate"])
def test_four_first_openings_at_once_open_once(
    what: str, counted: type[Counted], tmp_path: Path
) -> None:
    with Resources(tmp_path) as resources, ThreadPoolExecutor(4) as pool:
        ask = {
            "index": lambda _: resources.index(tmp_path, "auto"),
            "gate": lambda _: resources.gate("builtin"),
        }[what]
        found = list(pool.map(ask, range(4)))
    assert len({id(index) for index in found}) == 1
    assert counted.made == (0 if what == "index" else 1)  # closed again, where there is a close


def test_a_new_generation_is_opened_again(counted: type[Counted], tmp_path: Path) -> None:
    with Resources(tmp_path) as resources:
        first = resources.index(tmp_path, "auto")
        assert resources.index(tmp_path, "auto") is first
        (tmp_path / "manifest.json").write_text("{}")
        assert resources.index(tmp_path, "auto") is not first


def test_the_latest_registration_of_a_model_counts(
    model_server: ModelServer, tmp_path: Path
) -> None:
    with Resources(tmp_path) as resources:
        register_chat_provider("mine", scripted_provider(model_server, identity="first"))
        assert resources.caller("mine").provider.identity == "first"
        register_chat_provider("mine", scripted_provider(model_server, identity="second"))
        assert resources.caller("mine").provider.identity == "second"
        assert resources.caller("mine") is resources.caller("mine")


def test_closed_resources_hold_no_file_open(tmp_path: Path, monkeypatch: Any) -> None:
    closed: list[Ledger] = []

    def close(ledger: Ledger) -> None:
        closed.append(ledger)

    monkeypatch.setattr(Ledger, "close", close)
    with Resources(tmp_path) as resources:
        ledger = resources.ledger
        assert resources.ledger is ledger
    assert closed == [ledger]


def test_the_process_has_one_for_each_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = shared_resources()
    assert shared_resources() is first
    monkeypatch.setenv("HOPYARD_HOME", str(tmp_path / "other"))
    assert shared_resources() is not first


@pytest.mark.parametrize("spec", ["builtin", "builtin:base", "ollama:x", "openai:gpt-x"])
def test_a_model_keeps_its_caller(spec: str, tmp_path: Path) -> None:
    """Another caller would know neither places nor budgets."""
    with Resources(tmp_path) as resources:
        assert resources.caller(spec) is resources.caller(spec)


def test_a_changed_adapter_is_another_model(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"one")
    with Resources(tmp_path) as resources:
        before = resources.caller(f"builtin:{own}")
        assert resources.caller(f"builtin:{own}") is before
        own.write_bytes(b"other")
        os.utime(own, ns=(1, 1))
        assert resources.caller(f"builtin:{own}") is not before
