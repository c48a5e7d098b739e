"""`hopyard index entities`."""

from __future__ import annotations

from pathlib import Path

import pytest
from model_server import WordEmbedder

from ..conftest import Run, write_corpus


@pytest.fixture
def made(hopyard: Run, folder: Path, words: WordEmbedder, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("HOPYARD_EMBEDDING", "words")
    corpus = write_corpus(
        folder / "corpus.jsonl",
        {"id": "a", "title": "Talks", "text": "Kim Jong-un met Donald Trump in Singapore."},
        {"id": "b", "title": "Summit", "text": "Kim Jong Un met Donald Trump in Singapore."},
        {"id": "c", "title": "Hanoi", "text": "Kim Jong Un met Donald Trump in Hanoi."},
        {"id": "d", "title": "Ann Ash (bishop)", "text": "Ann Ash was a bishop in Hanoi."},
        {"id": "e", "title": "Ann Ash (skier)", "text": "Ann Ash won a race."},
    )
    assert hopyard("index", "build", corpus, "--out", "i", "--with", "entity-graph").code == 0
    return "i"


def test_entities_are_listed_by_their_passages(hopyard: Run, made: str) -> None:
    listed = hopyard("index", "entities", made, "--limit", "3", "--json").json
    assert listed["entities"] == [
        {"entity": "Donald Trump", "passages": 3, "names": ["donald trump"]},
        {"entity": "Kim Jong Un", "passages": 3, "names": ["kim jong un", "kim jong-un"]},
        {"entity": "Hanoi", "passages": 2, "names": ["hanoi"]},
    ]
    assert listed["total"] > 3
    shown = hopyard("index", "entities", made, "--limit", "3").out
    assert shown.splitlines()[0].split() == ["entity", "passages", "spellings"]
    assert shown.splitlines()[2].split("  ")[-1] == "kim jong un, kim jong-un"
    assert f"3 entities; --limit 0 lists all {listed['total']}" in shown
    every = hopyard("index", "entities", made, "--limit", "0", "--json").json["entities"]
    assert len(every) == listed["total"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("JONG-UN", ["Kim Jong Un"]),
        ("*oi", ["Hanoi"]),
        ("ann ash", ["Ann Ash (bishop)", "Ann Ash (skier)"]),
        ("[dk]*m*", ["Donald Trump", "Kim Jong Un"]),
        ("nobody", []),
    ],
)
def test_a_pattern_chooses_entities(
    hopyard: Run, made: str, pattern: str, found: list[str]
) -> None:
    listed = hopyard("index", "entities", made, pattern, "--json").json
    assert [each["entity"] for each in listed["entities"]] == found
    assert listed["total"] == len(found)


def test_senses_are_listed(hopyard: Run, made: str) -> None:
    senses = hopyard("index", "entities", made, "--split", "--json").json["senses"]
    assert [each["sense"] for each in senses] == ["Ann Ash (bishop)", "Ann Ash (skier)"]
    assert {each["name"] for each in senses} == {"ann ash"}
    only = hopyard("index", "entities", made, "skier", "--split", "--json").json
    assert [each["sense"] for each in only["senses"]] == ["Ann Ash (skier)"]


@pytest.mark.parametrize("arguments", [[], ["--split"]])
def test_an_index_without_the_graph_says_how_to_add_it(
    hopyard: Run, index: Path, arguments: list[str]
) -> None:
    ended = hopyard("index", "entities", index, *arguments)
    assert ended.code != 0
    assert "has no entity-graph part" in ended.error
    assert "--with dense,sparse,entity-graph" in ended.error
