"""`hopyard index build|add|remove|status`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from model_server import WordEmbedder

from ..conftest import Run, write_corpus

TEXT_LOADER = "langchain_community.document_loaders.TextLoader"
REPORT_KEYS = [
    "directory", "documents", "passages", "embedded", "usage", "seconds", "bad", "skipped",
    "incomplete", "left_out", "warnings",
]  # fmt: skip


@pytest.fixture(autouse=True)
def embedding(words: WordEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPYARD_EMBEDDING", "words")


def document(number: int, text: str = "") -> dict[str, Any]:
    return {"id": f"d{number}", "title": f"T{number}", "text": text or f"Text number {number}."}


@pytest.fixture
def corpus(folder: Path) -> Path:
    return write_corpus(folder / "corpus.jsonl", document(1), document(2))


def changes(report: dict[str, Any]) -> dict[str, int]:
    return {name: count for name, count in report["documents"].items() if count}


def test_build_add_remove_and_status(hopyard: Run, corpus: Path, folder: Path) -> None:
    built = hopyard("index", "build", corpus, "--out", "i", "--json")
    assert built.code == 0
    assert list(built.json) == REPORT_KEYS
    assert changes(built.json) == {"added": 2}
    assert (built.json["passages"], built.json["embedded"], built.json["bad"]) == (2, 2, [])

    again = hopyard("index", "build", corpus, "--out", "i", "--json").json
    assert changes(again) == {"unchanged": 2}
    assert again["embedded"] == 0

    more = write_corpus(folder / "more.jsonl", document(2, "Another text."), document(3))
    added = hopyard("index", "add", "i", more, "--json").json
    assert changes(added) == {"added": 1, "updated": 1} | (
        {"unchanged": 1} if "unchanged" in changes(added) else {}
    )
    assert added["embedded"] == 2

    removed = hopyard("index", "remove", "i", "d1", "--json").json
    assert removed["documents"]["removed"] == 1
    assert removed["embedded"] == 0

    status = hopyard("index", "status", "i", "--json").json
    assert set(status) >= {"directory", "bytes", "manifest"}
    manifest = status["manifest"]
    assert manifest["counts"]["documents"] == 2
    assert manifest["counts"]["passages"] == 2
    assert (manifest["embedding"], manifest["generation"]) == ("words", 3)
    assert manifest["kinds"] == ["dense", "sparse"]


def test_a_person_reads_what_was_done(hopyard: Run, corpus: Path) -> None:
    built = hopyard("index", "build", corpus, "--out", "i")
    assert built.code == 0
    assert "2 added; 2 passages, 2 embedded" in built.out
    shown = hopyard("index", "status", "i").out
    assert "2 documents, 2 passages" in shown
    assert "words, 32 dimensions" in shown


def test_a_built_index_can_be_asked(
    hopyard: Run, corpus: Path, model_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hopyard("index", "build", corpus, "--out", "i", "--with", "dense, sparse,")
    result = hopyard(
        "ask", "Text number 2?", "-i", "i", "-s", "single", "--model", "scripted", "--json"
    ).json
    assert result["evidence"][0]["id"] == "d2"


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        '{"id": "x"}',
        '{"id": "x", "text": "  "}',
        '{"id": "x", "text": 3}',
        '["id", "text"]',
        b'{"id": "x", "text": "\xff"}',
        '{"id": "x", "text": "cut',
    ],
)
def test_a_bad_line_is_named_and_the_others_are_kept(
    hopyard: Run, folder: Path, line: str | bytes
) -> None:
    corpus = write_corpus(folder / "corpus.jsonl", document(1), line, document(3))
    ended = hopyard("index", "build", corpus, "--out", "i", "--json")
    assert ended.code == 1
    assert "--skip-bad" in ended.error
    assert changes(ended.json) == {"added": 2}
    (bad,) = ended.json["bad"]
    assert bad["place"].endswith("corpus.jsonl:2")
    assert bad["reason"]
    assert f"left out {bad['place']}" in ended.err
    assert hopyard("index", "status", "i", "--json").json["manifest"]["counts"]["documents"] == 2


def test_bad_lines_can_be_passed_over(hopyard: Run, folder: Path) -> None:
    corpus = write_corpus(folder / "corpus.jsonl", document(1), "not json")
    ended = hopyard("index", "build", corpus, "--out", "i", "--skip-bad", "--json")
    assert ended.code == 0
    assert len(ended.json["bad"]) == 1
    assert "corpus.jsonl:2" in ended.err
    more = write_corpus(folder / "more.jsonl", "no", document(2))
    assert hopyard("index", "add", "i", more).code == 1
    assert hopyard("index", "add", "i", more, "--skip-bad").code == 0


def test_many_bad_lines_are_counted_and_not_all_shown(hopyard: Run, folder: Path) -> None:
    corpus = write_corpus(folder / "corpus.jsonl", document(1), *["no"] * 100)
    ended = hopyard("index", "build", corpus, "--out", "i", "--json")
    assert "100 items" in ended.error
    assert len(ended.json["bad"]) == 100
    assert ended.err.count("left out") < 30
    assert "… and 80 more" in ended.err


def test_one_id_for_two_texts_is_named_at_both_places(hopyard: Run, folder: Path) -> None:
    corpus = write_corpus(
        folder / "corpus.jsonl", document(1), document(1, "Another text."), document(1)
    )
    ended = hopyard("index", "build", corpus, "--out", "i", "--json")
    assert ended.code == 1
    (bad,) = ended.json["bad"]
    assert bad["place"].endswith("corpus.jsonl:2")
    assert "'d1'" in bad["reason"]
    assert "corpus.jsonl:1" in bad["reason"]
    assert changes(ended.json) == {"added": 1}


def test_the_same_embedding_model_must_add(
    hopyard: Run, corpus: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hopyard("index", "build", corpus, "--out", "i")
    ended = hopyard("index", "add", "i", corpus, "--embedding", "embedded")
    assert ended.code == 3
    assert "'words'" in ended.error
    assert "'builtin:minilm'" in ended.error


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (["build", "nowhere.jsonl", "--out", "i"], 2, "nowhere.jsonl"),
        (["build", "corpus.jsonl", "--out", "i", "--with", "nonsense"], 2, "nonsense"),
        (["build", "corpus.jsonl", "--out", "i", "--with", ""], 2, "dense"),
        (["build", "corpus.jsonl", "--out", "i", "--chunk-tokens", "-5"], 2, "-5"),
        (["build", "corpus.jsonl", "--out", "i", "--chunk-tokens", "999999"], 2, "999999"),
        (["build", "corpus.jsonl", "--out", "i", "--embedding", "x"], 2, "provider:NAME"),
        (["build", "corpus.jsonl", "--out", "corpus.jsonl"], 2, "corpus.jsonl"),
        (["build", "corpus.jsonl", "--out", "."], 2, "not an index"),
        (["build", "--out", "i"], 2, "--loader"),
        (["build", "--out", "i", "--loader", "no.Loader:x"], 2, "'no.Loader' cannot be imported"),
        (["build", "--out", "i", "--loader", f"{TEXT_LOADER}:nowhere.txt"], 1, "nowhere.txt"),
        (["build", "corpus.jsonl", "--out", "i", "--set", "graph.edge_factor=2"], 2, "graph"),
        (["build", "empty.jsonl", "--out", "i"], 1, "document"),
        (["add", "missing", "corpus.jsonl"], 3, "hopyard index build"),
        (["remove", "missing", "d1"], 3, "hopyard index build"),
        (["status", "missing"], 3, "hopyard index build"),
    ],
)
def test_an_error_is_one_sentence_and_an_exit_code(
    hopyard: Run, corpus: Path, folder: Path, arguments: list[str], code: int, named: str
) -> None:
    (folder / "empty.jsonl").write_text("\n")
    ended = hopyard("index", *arguments, "--json")
    assert (ended.code, ended.out) == (code, "")
    assert named in ended.error
    assert not (folder / "missing").exists()


def test_a_document_that_is_not_there_is_not_removed(hopyard: Run, corpus: Path) -> None:
    hopyard("index", "build", corpus, "--out", "i")
    ended = hopyard("index", "remove", "i", "d1", "nobody", "--json")
    assert (ended.code, ended.out) == (2, "")
    assert "nobody" in ended.error
    assert hopyard("index", "status", "i", "--json").json["manifest"]["counts"]["documents"] == 2


def test_an_empty_corpus_leaves_the_old_index(hopyard: Run, corpus: Path, folder: Path) -> None:
    hopyard("index", "build", corpus, "--out", "i")
    (folder / "empty.jsonl").write_text("")
    assert hopyard("index", "build", "empty.jsonl", "--out", "i").code == 1
    assert hopyard("index", "status", "i", "--json").json["manifest"]["counts"]["documents"] == 2


def test_a_folder_is_read_whole(hopyard: Run, folder: Path) -> None:
    docs = folder / "docs"
    docs.mkdir()
    (docs / "a.txt").write_text("Plain text.")
    (docs / "b.md").write_text("# Title\n\nMarked text.")
    (docs / "c.bin").write_bytes(b"\x00")
    write_corpus(docs / "d.jsonl", document(1))
    report = hopyard("index", "build", docs, "--out", "i", "--json").json
    assert changes(report) == {"added": 3}
    [skipped] = report["skipped"]
    assert (report["bad"], skipped["reason"]) == ([], "unknown suffix '.bin'")
    assert skipped["place"].endswith("docs/c.bin")
    assert f"left out {skipped['place']}: " in hopyard("index", "build", docs, "--out", "i").err


def test_files_that_cannot_be_read_are_named_where_they_are_all(hopyard: Run, folder: Path) -> None:
    (folder / "a.bin").write_bytes(b"\x00")
    ended = hopyard("index", "build", "a.bin", "--out", "i")
    assert ended.code == 1
    assert ended.error.startswith("Nothing could be read: a.bin: unknown suffix '.bin' (known: ")
    bare = folder / "bare"
    bare.mkdir()
    assert "hold no file" in hopyard("index", "build", bare, "--out", "i").error
    (bare / "a.bin").write_bytes(b"\x00")
    (bare / "b.bin").write_bytes(b"\x00")
    ended = hopyard("index", "build", bare, "--out", "i")
    assert "all 2 items were skipped" in ended.error
    assert ended.err.count("left out bare/") + ended.err.count(f"left out {bare}/") == 2
    assert not (folder / "i").exists()


def test_an_encoding_is_given(hopyard: Run, folder: Path) -> None:
    (folder / "a.txt").write_bytes("Größe".encode("cp850"))
    hopyard("index", "build", "a.txt", "--out", "i", "--encoding", "cp850")
    found = hopyard("search", "Größe", "-i", "i", "--search", "sparse", "--json").json
    assert found["evidence"][0]["sources"][0]["text"] == "Größe"
    assert hopyard("index", "add", "i", "a.txt", "--encoding", "no").code == 2


def test_the_sample_corpus_builds(hopyard: Run) -> None:
    sample = Path(__file__).parents[3] / "examples" / "solar_system" / "corpus.jsonl"
    lines = [json.loads(line) for line in sample.read_text(encoding="utf-8").splitlines()]
    report = hopyard("index", "build", sample, "--out", "i", "--json").json
    assert changes(report) == {"added": len(lines)}


def test_documents_of_a_langchain_loader(hopyard: Run, corpus: Path, folder: Path) -> None:
    (folder / "mars.txt").write_text("Mars has two moons.")
    (folder / "venus.txt").write_text("Venus has no moon.")
    loaders = [f"--loader={TEXT_LOADER}:{name}.txt" for name in ("mars", "venus")]

    built = hopyard("index", "build", corpus, "--out", "i", *loaders, "--json").json
    assert changes(built) == {"added": 4}
    found = hopyard("search", "moons of Mars", "-i", "i", "--search", "sparse", "--json").json
    assert found["evidence"][0]["sources"][0]["reference"] == "mars.txt"

    (folder / "mars.txt").write_text("Mars has two moons, Phobos and Deimos.")
    added = hopyard("index", "add", "i", loaders[0], "--json").json
    assert changes(added) == {"updated": 1}


def test_a_loader_that_fails_leaves_the_index_as_it_was(hopyard: Run, folder: Path) -> None:
    (folder / "mars.txt").write_text("Mars has two moons.")
    command = ("index", "build", "--out", "i", f"--loader={TEXT_LOADER}:mars.txt")
    assert hopyard(*command).code == 0
    (folder / "mars.txt").unlink()

    ended = hopyard(*command)

    assert ended.code == 1
    assert "nothing was changed" in ended.error
    assert hopyard("index", "status", "i", "--json").json["manifest"]["generation"] == 1
