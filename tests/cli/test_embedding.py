"""Which embedding model a command uses: the index's own, and none if no index kind needs one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from model_server import ModelServer, WordEmbedder

from hopyard import add_documents, build_index
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.models import embeddings
from hopyard.state.extras import EXTRAS

from .conftest import Run

NOBODY = "ollama:nobody"
"""An embedding model that no server offers."""
BUILD, ADD = ("build", "notes", "--out", "i"), ("add", "made", "notes")


@pytest.fixture
def notes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    notes = folder / "notes"
    notes.mkdir()
    (notes / "a.txt").write_text("A swan sat on the quay.")
    (notes / "b.txt").write_text("The crane lifts containers.")
    return notes


def hide(monkeypatch: pytest.MonkeyPatch, *extras: str) -> None:
    """Let extras be missing, as in a process that has not loaded a built-in model."""
    embeddings._builtin.cache_clear()
    for extra in extras:
        for module in EXTRAS[extra].modules.values():
            monkeypatch.setitem(sys.modules, module, None)


@pytest.mark.parametrize("named", [NOBODY, None])
def test_an_index_without_vectors_needs_no_embedding_model(
    hopyard: Run,
    notes: Path,
    model: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    named: str | None,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    hide(monkeypatch, "builtin")
    monkeypatch.delenv("HOPYARD_EMBEDDING", raising=False)
    if named:
        monkeypatch.setenv("HOPYARD_EMBEDDING", named)
    model.answer = lambda title, messages: {"answer": "a swan"}

    built = hopyard("index", "build", notes, "--out", "i", "--with", "sparse")
    assert (built.code, built.err) == (0, built.err)
    assert read_manifest(Path("i")).embedding == "none"
    (notes / "c.txt").write_text("The pilot is late.")
    assert hopyard("index", "add", "i", notes / "c.txt", "--json").json["documents"]["added"] == 1
    assert hopyard("index", "sync", "i", notes).code == 0
    assert "none: no index kind needs it" in hopyard("index", "status", "i").out
    for search in (), ("--search", "sparse"), ("--search", "hybrid"):
        found = hopyard("search", "pilot", "--index", "i", *search, "--json").json
        assert found["evidence"][0]["sources"][0]["source"] == "notes/c.txt"
    asked = hopyard("ask", "Who sat on the quay?", "--index", "i", "-s", "single", "--json")
    assert asked.json["answer"] == "a swan"
    said = hopyard("search", "pilot", "--index", "i", "--search", "dense").error
    assert said.startswith("The index 'i' has no dense part, which dense needs: ")


def test_vectors_without_an_embedding_model_are_refused_before_anything_is_read(
    hopyard: Run, notes: Path
) -> None:
    refused = hopyard("index", "build", notes, "--out", "i", "--embedding", "none")
    assert refused.error.startswith("The index kind dense needs an embedding model")
    assert not Path("i").exists()


def test_python_builds_an_index_without_vectors_too(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_index("i", notes, kinds=["sparse"], embedding=NOBODY)
    assert add_documents("i", notes / "b.txt", embedding=NOBODY).embedded == 0


def test_an_index_knows_its_embedding_model(
    hopyard: Run, notes: Path, words: WordEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HOPYARD_EMBEDDING", raising=False)
    assert hopyard("index", "build", notes, "--out", "i", "--embedding", "words").code == 0
    (notes / "b.txt").write_text("The crane rests.")
    assert hopyard("index", "add", "i", notes).code == 0
    found = hopyard("search", "crane rests", "--index", "i", "--search", "dense", "--json").json
    assert found["evidence"][0]["sources"][0]["source"] == "notes/b.txt"
    other = hopyard("search", "crane", "--index", "i", "--embedding", "builtin")
    assert "was built with the embedding model 'words', not 'builtin:e5'" in other.error


@pytest.mark.parametrize(
    ("command", "hidden", "names", "sentence"),
    [
        (BUILD, ["builtin"], [], "The built-in embedding model needs hopyard[builtin]: "),
        (ADD, ["builtin"], [], "The built-in embedding model needs hopyard[builtin]: "),
        (ADD, ["pdf"], ["x.pdf"], "1 file, such as 'notes/x.pdf', needs a package that is not "),
        (
            BUILD,
            ["pdf", "office"],
            ["deep/y.XLSX", "x.pdf"],
            "2 files, such as 'notes/deep/y.XLSX', need a package that is not installed: pip "
            "install 'hopyard[office,pdf]'; or leave such files out with --skip-bad.",
        ),
    ],
)
def test_a_missing_extra_is_said_before_anything_is_read(
    hopyard: Run,
    notes: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    hidden: list[str],
    names: list[str],
    sentence: str,
    words: WordEmbedder,
) -> None:
    if hidden == ["builtin"]:
        monkeypatch.delenv("HOPYARD_EMBEDDING", raising=False)
    else:
        monkeypatch.setenv("HOPYARD_EMBEDDING", "words")
    if command == ADD:
        assert hopyard("index", "build", "notes", "--out", "made").code == 0
    (notes / "deep").mkdir()
    for name in names:
        (notes / name).write_bytes(b"?")
    hide(monkeypatch, *hidden)
    ended = hopyard("index", *command)
    assert ended.error.startswith(sentence)
    assert "files" not in ended.err.replace("such files", "").replace("2 files", "")
    assert not Path("i").exists()
    if names:
        assert hopyard("index", *command, "--skip-bad").code == 0
