"""Builds that a budget or a failure stops, and damage to what they left."""

from __future__ import annotations

import pytest
from model_server import ModelServer, Reply

from hopyard.indexes.kinds.passage_graph.writing import QUESTIONS_FILE
from hopyard.state import usage
from hopyard.state.errors import IndexMissingError, ModelUnreachableError

from .conftest import Library
from .script import PEOPLE, Writer, people, person

# Stopped and broken off


def test_a_budget_stops_in_good_order(library: Library, writer: Writer) -> None:
    library.build(people(10), budget={"calls": 4})

    assert len(writer.titles) == 4
    stats = library.stats
    assert (stats.vertices, stats.written.missing) == (4, 6)
    assert {tail for tail, _, _ in library.edges} | {head for _, _, head in library.edges} <= {
        name.lower() for name in writer.titles
    }

    library.add(budget={"calls": 3})
    assert (len(writer.titles), library.stats.written.missing) == (7, 3)

    library.build(people(10))
    assert writer.counts == dict.fromkeys(PEOPLE, 1)
    assert library.stats.written.missing == 0


@pytest.mark.parametrize("budget", [{"tokens": 900}, {"seconds": 3}])
def test_other_budgets_stop_as_well(
    library: Library,
    model_server: ModelServer,
    budget: dict[str, float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(usage, "monotonic", lambda: len(model_server.calls))  # a call, a second
    library.build(people(10), budget=budget, concurrency=1)
    assert 0 < library.stats.written.missing < 10


def test_without_any_question_there_is_a_graph_without_edges(library: Library) -> None:
    library.build_without_model(people(3))

    assert (library.stats.vertices, library.stats.edges) == (0, 0)
    opened = library.opened()
    assert (len(opened), opened.out_edges("alba")) == (0, [])
    assert opened.passage_keywords("alba") >= {"bert", "cora"}
    query = library.embedder.embed_query("Whom does Alba know?")
    assert opened.entry_edges(query, frozenset(), 5) == []


def test_an_unreachable_model_ends_the_build_and_keeps_what_is_done(
    library: Library, writer: Writer
) -> None:
    writer.instead["Cora"] = Reply(401)
    with pytest.raises(ModelUnreachableError, match="scripted refused access"):
        library.build(people(10), concurrency=1)
    done = set(writer.titles) - {"Cora"}
    assert {"Alba", "Bert"} <= done
    assert len(writer.titles) < 10

    writer.instead.clear()
    library.build(people(10))

    assert writer.counts == {**dict.fromkeys(PEOPLE, 1), "Cora": 2}


def test_removing_needs_no_model(
    library: Library, writer: Writer, model_server: ModelServer
) -> None:
    library.build(people(5), budget={"calls": 3})
    model_server.answer = lambda schema, messages: Reply(401)

    library.remove("alba")

    assert library.stats.written.missing in (1, 2)
    assert len(writer.titles) == 3


def test_calls_go_many_at_once(library: Library, model_server: ModelServer) -> None:
    model_server.hold(until=4)
    model_server.delay = 0.02
    library.build(people(10), concurrency=4)
    assert model_server.most_at_once() == 4


# Damage


def test_a_damaged_store_says_what_to_do(library: Library, writer: Writer) -> None:
    library.build(people(4))
    file = library.directory / QUESTIONS_FILE
    file.write_bytes(b"no database" * 100)
    with pytest.raises(IndexMissingError, match=r"questions\.sqlite' cannot be used .* delete it"):
        library.add(person(4))

    file.unlink()
    library.add(person(4))

    assert writer.counts == dict.fromkeys(PEOPLE[:5], 1), "the ledger kept the answers"


def test_a_graph_with_a_missing_file_is_made_again(library: Library, writer: Writer) -> None:
    library.build(people(4))
    before, asked = library.files, len(writer.titles)
    (library.folder / "edges.npy").unlink()

    library.build(people(4))

    assert library.files == before
    assert len(writer.titles) == asked
