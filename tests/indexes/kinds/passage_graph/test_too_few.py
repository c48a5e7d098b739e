"""Passages that the model writes too few questions for, or none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hopyard.state.errors import ModelOutputError

from .conftest import Library
from .script import GARBAGE, PEOPLE, Writer, people, person


def test_a_model_that_gives_too_few_is_asked_once_more(library: Library, writer: Writer) -> None:
    writer.instead["Bert"] = [
        {"incoming": ["Who is Bert?"], "outcoming": ["Who is Cora?", "Who is Cora?"]},
        {"incoming": ["Who is Bert?", "Is Bert a man?"], "outcoming": ["Who is Dirk?", "no"]},
    ]
    library.build(people(6))

    assert writer.counts["Bert"] == 2
    stats = library.stats
    assert (stats.written.too_few_questions, stats.written.failed, stats.vertices) == (1, 0, 6)
    assert (stats.incoming_questions, stats.outcoming_questions) == (12, 22)

    library.build(people(6))
    assert writer.counts["Bert"] == 2


def test_a_second_answer_may_complete_the_first(library: Library, writer: Writer) -> None:
    writer.instead["Bert"] = [
        {"incoming": ["Who is Bert?"], "outcoming": ["Who is Cora?", "Who is Dirk?"]},
        {"incoming": ["Is Bert a man?"], "outcoming": ["Is Cora a man?", "Is Dirk a man?"]},
    ]
    library.build(people(6))

    assert library.stats.written.too_few_questions == 0


@pytest.mark.usefixtures("many_edges")
def test_a_passage_with_too_few_is_reached_through_its_own_text(
    library: Library, writer: Writer
) -> None:
    writer.instead["Cora"] = {"incoming": [], "outcoming": []}
    library.build(people(4))

    assert library.stats.written.too_few_questions == 1
    reached = {(tail, question) for tail, question, head in library.edges if head == "cora"}
    assert reached
    assert {question for _, question in reached} <= {
        "Cora",
        "Cora: Cora knows Dirk and Elsa and grows plant 2.",
    }
    assert library.opened().out_edges("cora") == []


def test_a_passage_that_the_model_fails_for_is_counted_and_stays_reachable(
    library: Library, writer: Writer
) -> None:
    writer.instead["Cora"] = GARBAGE
    library.build(people(10))

    stats = library.stats
    assert (stats.written.failed, stats.written.too_few_questions, stats.written.missing) == (
        1,
        1,
        0,
    )
    assert stats.written.calls[0].rate == pytest.approx(9 / 10)
    assert stats.incoming_questions == 9 * 2 + 2

    library.build(people(10))
    library.remove("jens")
    library.add(person(9))
    assert writer.counts["Cora"] == 1, "an accepted failure is not asked for again"


def test_too_many_failures_end_the_build_and_name_the_prompt(
    library: Library, writer: Writer
) -> None:
    writer.instead |= {"Cora": GARBAGE, "Dirk": GARBAGE, "Elsa": GARBAGE}
    with pytest.raises(ModelOutputError, match=r"prompt 'questions' \(version 2\) failed for 3 of"):
        library.build(people(10))
    assert not (library.directory / "manifest.json").exists()

    writer.instead.clear()
    library.build(people(10))

    asked_twice = {"Cora": 2, "Dirk": 2, "Elsa": 2}
    assert writer.counts == {**dict.fromkeys(PEOPLE, 1), **asked_twice}
    assert library.stats.written.failed == 0


def test_the_rate_of_failures_is_a_setting(library: Library, writer: Writer) -> None:
    writer.instead |= {"Cora": GARBAGE, "Dirk": GARBAGE, "Elsa": GARBAGE}
    library.build(people(10), writing={"max_failure_rate": 0.3})
    assert library.stats.written.failed == 3


def test_one_addition_may_fail(library: Library, writer: Writer) -> None:
    library.build(people(9))
    writer.instead["Jens"] = GARBAGE
    library.add(person(9))
    assert (library.stats.written.failed, library.stats.vertices) == (1, 10)


def test_a_model_that_only_fails_is_not_asked_to_the_end(library: Library, writer: Writer) -> None:
    documents = [replace(person(n % 10), id=f"d{n}", text=f"Number {n}.") for n in range(200)]
    writer.instead = dict.fromkeys(PEOPLE, GARBAGE)
    with pytest.raises(ModelOutputError, match=r"max_failure_rate=0\.2"):
        library.build(documents)
    assert 50 <= len(writer.titles) < 120
