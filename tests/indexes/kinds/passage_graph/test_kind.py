"""Building, growing and shrinking the graph, against a scripted model."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import WordEmbedder
from model_server import ModelServer, scripted_provider

from hopyard.indexes.corpus.corpus_file import CORPUS_FILE
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.corpus.records import text_hash
from hopyard.indexes.kinds.passage_graph.writing import QUESTIONS_FILE
from hopyard.models import chat
from hopyard.nodes.resources import Resources
from hopyard.prompts.indexes.passage_graph import QUESTIONS

from .conftest import Library
from .script import GARBAGE, PEOPLE, Writer, people, person, questions_about

# A first build


@pytest.mark.usefixtures("many_edges")
def test_edges_lead_from_who_asks_to_who_answers(library: Library, writer: Writer) -> None:
    library.build(people(3))

    assert writer.counts == {"Alba": 1, "Bert": 1, "Cora": 1}
    plant, known = "Which plant does {} grow?", "Whom does {} know?"
    # Dirk and Elsa have no passage: the nearest question is about somebody else, never oneself.
    drawn = {edge for edge in library.edges if edge[0] == "alba"}
    assert drawn == {
        ("alba", question.format(name), name.lower())
        for name in ("Bert", "Cora")
        for question in (plant, known)
    }
    assert all(tail != head for tail, _, head in library.edges)
    exits = library.opened().out_edges("alba")
    assert [edge.similarity for edge in exits] == [pytest.approx(1.0)] * 4
    assert {frozenset({"bert"}), frozenset({"cora"})} == {edge.keywords for edge in exits}


def test_the_stats_and_the_manifest_count(library: Library) -> None:
    library.build(people(10))

    stats, manifest = library.stats, read_manifest(library.directory)
    assert (stats.vertices, stats.incoming_questions, stats.outcoming_questions) == (10, 20, 40)
    assert stats.edges == len(library.opened()) == math.floor(10 * math.log2(10))
    assert stats.plain()["mean_out_degree"] == stats.edges / 10
    assert (stats.written.missing, stats.written.too_few_questions, stats.written.failed) == (
        0,
        0,
        0,
    )
    assert [(author.model, author.passages) for author in stats.written.authors] == [
        ("scripted", 10)
    ]
    assert manifest.counts["questions"] == 60
    assert manifest.counts["edges"] == stats.edges
    assert manifest.prompts == {"questions": str(QUESTIONS.version)}


def test_the_parse_rate_is_that_of_the_ledger(
    library: Library, writer: Writer, retries: Callable[[int], None]
) -> None:
    retries(1)
    writer.instead["Bert"] = [GARBAGE, {"incoming": ["Who is Bert?"], "outcoming": []}]
    library.build(people(10))

    (calls,) = library.stats.written.calls
    with Resources() as resources:
        (ledger,) = resources.ledger.parse_rates()
    assert (calls.prompt, calls.calls, calls.failed) == ("questions", len(writer.titles), 1)
    assert calls == ledger
    assert calls.rate == ledger.rate

    library.add(person(0, ahead=(3, 4)))
    assert library.stats.written.calls[0].calls == calls.calls + 1
    library.remove("jens")
    library.add(person(9, ahead=(3, 4)))
    assert library.stats.written.calls[0].calls == calls.calls + 2


def test_a_content_that_two_passages_share_is_asked_about_once(
    library: Library, writer: Writer
) -> None:
    twins = [replace(person(0), id="one"), replace(person(0), id="two")]
    library.build([*twins, *people(3)[1:]])

    assert writer.counts["Alba"] == 1
    assert library.stats.vertices == 4
    assert {edge.tail for edge in library.opened()} >= {"one", "two"}


@pytest.mark.parametrize(("profile", "kept"), [("capable", (9, 11)), ("builtin", (4, 6))])
def test_the_builtin_model_alone_is_held_to_four_and_six_questions(
    library: Library, writer: Writer, profile: str, kept: tuple[int, int]
) -> None:
    writer.instead["Bert"] = {
        "incoming": [f"Who is Bert {number}?" for number in range(9)],
        "outcoming": [f"Who is Cora {number}?" for number in range(11)],
    }
    library.build(people(2), profile=profile)
    stats = library.stats
    alba = (2, 4)
    counted = (stats.incoming_questions, stats.outcoming_questions)
    assert counted == (alba[0] + kept[0], alba[1] + kept[1])


def test_a_graph_of_the_other_wording_is_written_again(library: Library, writer: Writer) -> None:
    library.build(people(3), profile="builtin")
    library.build(people(3), profile="capable")
    assert writer.counts["Bert"] == 2
    assert [author.version for author in library.stats.written.authors] == [2]


# A repeated build


def test_another_model_writes_again_for_a_build_and_only_the_new_for_an_addition(
    library: Library, writer: Writer, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = scripted_provider(model_server, identity="other")
    chat.register_chat_provider("other", other)
    library.build(people(4))

    library.add(person(4), model="other")
    assert writer.counts == dict.fromkeys(PEOPLE[:5], 1)
    assert [(author.model, author.passages) for author in library.stats.written.authors] == [
        ("other", 1),
        ("scripted", 4),
    ]

    library.build(people(5), model="other")
    assert writer.counts == {**dict.fromkeys(PEOPLE[:4], 2), "Elsa": 1}
    assert [author.model for author in library.stats.written.authors] == ["other"]
    assert library.stats.model == "other"


def test_another_embedding_model_asks_nothing(library: Library, writer: Writer) -> None:
    library.build(people(4))
    asked = len(writer.titles)
    other = WordEmbedder()
    other.name = "other words"
    library.embedder = other

    library.build(people(4))

    assert len(writer.titles) == asked
    assert library.stats.embedding == "other words"


# Growing and shrinking


@pytest.mark.usefixtures("many_edges")
def test_a_removal_matches_orphaned_questions_again(library: Library, writer: Writer) -> None:
    library.build(people(4))
    assert {head for tail, _, head in library.edges if tail == "alba"} == {"bert", "cora"}
    asked = len(writer.titles)

    library.remove("bert")

    heads = {head for tail, _, head in library.edges if tail == "alba"}
    assert "cora" in heads
    assert "bert" not in {head for _, _, head in library.edges}
    assert len(library.opened().out_edges("alba")) >= 2
    assert len(writer.titles) == asked


@pytest.mark.usefixtures("many_edges")
def test_an_update_replaces_the_questions_of_a_passage(library: Library, writer: Writer) -> None:
    library.build(people(8))

    library.add(person(0, ahead=(5, 6)))

    assert writer.counts["Alba"] == 2
    assert {head for tail, _, head in library.edges if tail == "alba"} == {"finn", "gina"}


def test_a_document_that_comes_back_finds_its_questions(
    library: Library, writer: Writer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    library.build(people(4))
    library.remove("bert")
    monkeypatch.setenv("HOPYARD_HOME", str(tmp_path / "another ledger"))
    library.add(person(1))

    assert writer.counts["Bert"] == 1


def test_what_nobody_uses_any_more_is_dropped(library: Library) -> None:
    library.build(people(4))
    library.remove("bert")
    for number in range(4, 7):
        library.add(person(number))
    with sqlite3.connect(library.directory / QUESTIONS_FILE) as file:
        rows = file.execute("SELECT count(*) FROM written").fetchone()[0]
        runs = file.execute("SELECT count(*) FROM runs").fetchone()[0]
    with sqlite3.connect(library.directory / CORPUS_FILE) as file:
        sql = "SELECT content_hash FROM vectors WHERE namespace = 'questions'"
        vectors = {row[0] for row in file.execute(sql)}
    assert (rows, runs) == (6, 1)
    asked = [
        questions_about(person.title, person.text) for person in people(7) if person.id != "bert"
    ]
    texts = {text for questions in asked for kind in questions.values() for text in kind}
    assert vectors == {text_hash(text) for text in texts}
