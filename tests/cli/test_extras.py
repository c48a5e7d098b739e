"""Optional dependencies: what is missing is one sentence with the command that installs it."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from model_server import ModelServer

from hopyard.classifiers.t5 import T5Scorer
from hopyard.indexes.documents.langchain_loaders import load_with
from hopyard.indexes.documents.loaders import load
from hopyard.indexes.text import terms
from hopyard.models.builtin.minilm import MiniLMEmbedder
from hopyard.models.chat import chat_provider
from hopyard.models.cross_encoder import PairScorer
from hopyard.state.errors import GateUnavailableError, ModelUnreachableError, UsageError
from hopyard.state.extras import EXTRAS, missing_modules
from hopyard.state.storage.serializer import KEY_VARIABLE, checkpoint_key

from .conftest import Run

ROOT = Path(__file__).parents[2]
EXTRAS_FOR_DEVELOPERS = {"testing", "all", "dev"}
LARGE = {"ray"}  # neither in `all` nor here: `make test-scale` has its test


def hide(monkeypatch: pytest.MonkeyPatch, *extras: str) -> None:
    """Make the modules of extras look as if they were not installed."""
    for extra in extras:
        for module in EXTRAS[extra].modules.values():
            loaded = [name for name in sys.modules if name.startswith(f"{module}.")]
            for name in [module, *loaded]:
                monkeypatch.setitem(sys.modules, name, None)


def sentence(extra: str) -> str:
    return rf"^[^.]* needs hopyard\[{extra}\]: pip install 'hopyard\[{extra}\]'\.$"


def test_each_extra_is_described_as_it_is_installed() -> None:
    written = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = written["optional-dependencies"]
    assert set(EXTRAS) == set(optional) - EXTRAS_FOR_DEVELOPERS
    for name, extra in EXTRAS.items():
        given = [re.split(r"[>\[=]", each)[0] for each in optional[name]]
        assert set(given) - {"hopyard"} == set(extra.modules), name
        included = [each for each in optional[name] if each.startswith("hopyard[")]
        assert included == [f"hopyard[{','.join(extra.includes)}]"] * bool(extra.includes)
    [everything] = optional["all"]
    assert everything == f"hopyard[{','.join(each for each in EXTRAS if each not in LARGE)}]"


@pytest.mark.parametrize("extra", sorted(EXTRAS.keys() - LARGE))
def test_here_every_extra_is_installed(extra: str) -> None:
    """Else the tests below would pass without hiding anything."""
    assert missing_modules(extra) == []


@pytest.mark.parametrize("extra", EXTRAS)
def test_doctor_names_each_missing_extra(
    hopyard: Run, monkeypatch: pytest.MonkeyPatch, model: ModelServer, extra: str
) -> None:
    model.answer = lambda title, messages: {"answer": "Paris"}
    hide(monkeypatch, extra)
    ended = hopyard("doctor", "--json")
    assert ended.code == 0  # these settings need no extra
    [found] = [each for each in ended.json["findings"] if each["name"] == f"hopyard[{extra}]"]
    assert found["ok"] is False
    assert found["cure"] == f"pip install 'hopyard[{extra}]'"
    assert found["needed"] is False


def ask_the_built_in_model() -> None:
    chat_provider("builtin")


def embed_with_minilm() -> None:
    MiniLMEmbedder().embed_query("hop")


def rerank() -> None:
    PairScorer("nobody/nothing").scores("Who?", ["text"])


@pytest.mark.parametrize(
    ("extra", "call"),
    [("builtin", ask_the_built_in_model), ("builtin", embed_with_minilm), ("rerank", rerank)],
)
def test_a_model_without_its_extra_cannot_be_reached(
    monkeypatch: pytest.MonkeyPatch, extra: str, call: Callable[[], None]
) -> None:
    hide(monkeypatch, extra)
    with pytest.raises(ModelUnreachableError, match=sentence(extra)):
        call()


@pytest.mark.parametrize(
    ("suffix", "extra"),
    [
        ("pdf", "pdf"),
        *((suffix, "office") for suffix in ("xlsx", "xls", "msg")),
    ],
)
def test_a_file_without_its_extra_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, extra: str
) -> None:
    hide(monkeypatch, extra)
    (tmp_path / f"x.{suffix}").write_bytes(b"\xd0\xcf\x11\xe0 text")
    (tmp_path / "good.txt").write_text("good")
    report = load([tmp_path])
    [bad] = report.bad
    assert bad.reason == (
        f"reading .{suffix} files needs hopyard[{extra}]: pip install 'hopyard[{extra}]'"
    )
    assert [document.text for document in report.documents] == ["good"]


def test_a_loader_without_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "loaders")
    with pytest.raises(UsageError, match=sentence("loaders").replace("[^.]*", ".*")):
        list(load_with("langchain_community.document_loaders.TextLoader:notes.txt"))


def test_terms_without_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "terms")
    terms._textblob.cache_clear()
    with pytest.raises(UsageError, match=sentence("terms")):
        list(terms.terms_in("A mountain lake."))


def test_a_t5_gate_without_its_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hide(monkeypatch, "gate")
    with pytest.raises(GateUnavailableError, match=sentence("gate")):
        T5Scorer.load(tmp_path)


def test_a_key_without_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    hide(monkeypatch, "encryption")
    monkeypatch.setenv(KEY_VARIABLE, "0" * 64)
    with pytest.raises(UsageError, match=sentence("encryption")):
        checkpoint_key()


@pytest.mark.parametrize(
    ("command", "extra"),
    [
        ("eval questions.jsonl", "eval"),
        ("gate label questions.jsonl --out labels.jsonl", "gate"),
        ("gate train labels.jsonl --out gate", "gate"),
        ("gate evaluate labels.jsonl", "gate"),
        ("mcp", "mcp"),
    ],
)
def test_a_command_without_its_extra(
    hopyard: Run, monkeypatch: pytest.MonkeyPatch, command: str, extra: str
) -> None:
    hide(monkeypatch, extra)
    ended = hopyard(*command.split())
    assert ended.code == 2
    assert re.match(sentence(extra), ended.error)
    assert ended.error.startswith("`hopyard ")


@pytest.mark.parametrize("included", EXTRAS["gate"].includes)
def test_an_extra_needs_those_that_it_includes(
    monkeypatch: pytest.MonkeyPatch, included: str
) -> None:
    hide(monkeypatch, included)
    assert missing_modules("gate") == missing_modules(included) != []
