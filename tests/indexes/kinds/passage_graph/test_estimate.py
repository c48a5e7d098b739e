"""A dry run: what it says, what it spends, and that it leaves the index alone."""

from __future__ import annotations

from dataclasses import asdict, replace
from types import SimpleNamespace
from typing import Any

import pytest
from model_server import Reply

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.written.estimate import SAMPLE
from hopyard.models.ledger import ParseRate
from hopyard.nodes.resources import Resources
from hopyard.state.errors import ModelUnreachableError

from ...builds import state
from .conftest import Library
from .script import GARBAGE, PEOPLE, Writer, people, person


def dry_run(library: Library, documents: list[Document], **settings: Any) -> SimpleNamespace:
    passages, found = library.estimate(documents, **settings)
    numbers = asdict(found)
    return SimpleNamespace(passages=passages, **numbers, **numbers["details"])


def rates_of_the_ledger() -> ParseRate:
    with Resources() as resources:
        (rate,) = resources.ledger.parse_rates()
        return rate


def test_it_asks_for_a_sample_and_makes_no_index(library: Library, writer: Writer) -> None:
    found = dry_run(library, people(10))

    assert len(writer.titles) == SAMPLE == found.sampled == found.spent_calls
    assert (found.passages, found.unwritten, found.model_calls) == (10, 10, 6)
    assert not library.directory.exists()

    library.build(people(10))
    assert len(writer.titles) == SAMPLE + found.model_calls, "the sample was not paid for again"


def test_tokens_are_those_of_the_sample_times_the_rest(library: Library, writer: Writer) -> None:
    found = dry_run(library, people(10))

    spent = rates_of_the_ledger()
    assert found.input_tokens == round(spent.input_tokens / SAMPLE * 6)
    assert found.output_tokens == round(spent.output_tokens / SAMPLE * 6)
    library.build(people(10))
    (paid,) = library.stats.written.calls
    assert paid.input_tokens == pytest.approx(found.input_tokens, rel=0.05)


@pytest.mark.usefixtures("model_server")
def test_time_counts_the_calls_that_run_at_once(library: Library) -> None:
    documents = [replace(person(n % 10), id=f"d{n}", text=f"{n} knows.") for n in range(44)]
    found = dry_run(library, documents, concurrency=4)
    assert found.model_calls == 40 * 2, "no out-coming question: each passage is asked for twice"
    spent = rates_of_the_ledger()
    assert found.seconds == round(80 / 4 * spent.seconds / spent.calls, 1)


def test_a_second_dry_run_spends_nothing(library: Library, writer: Writer) -> None:
    first = dry_run(library, people(10))
    second = dry_run(library, people(10))

    assert len(writer.titles) == SAMPLE
    assert second.spent_calls == 0
    second.spent_calls = SAMPLE
    assert second == first


def test_what_the_index_has_is_not_counted(library: Library, writer: Writer) -> None:
    library.build(people(8))
    before, asked = state(library.directory), len(writer.titles)

    found = dry_run(library, people(10))

    assert (found.passages, found.unwritten, found.sampled, found.model_calls) == (10, 2, 2, 0)
    assert len(writer.titles) == asked + 2
    assert state(library.directory) == before

    library.build(people(10))
    done = dry_run(library, people(10))
    assert (done.unwritten, done.sampled, done.model_calls, done.seconds) == (0, 0, 0, 0.0)


def test_the_sample_has_all_lengths(library: Library, writer: Writer) -> None:
    documents = [
        replace(person, text=person.text + " word" * number)
        for number, person in enumerate(people(8))
    ]
    dry_run(library, documents)
    assert sorted(writer.titles) == [PEOPLE[number] for number in (1, 3, 5, 7)]


def test_failures_of_the_sample_are_told(library: Library, writer: Writer) -> None:
    writer.instead = dict.fromkeys(PEOPLE, GARBAGE)
    found = dry_run(library, people(10))
    assert (found.sampled, found.failed) == (SAMPLE, SAMPLE)


def test_an_unreachable_model_is_told(library: Library, writer: Writer) -> None:
    writer.instead = dict.fromkeys(PEOPLE, Reply(401))
    with pytest.raises(ModelUnreachableError):
        dry_run(library, people(10))
