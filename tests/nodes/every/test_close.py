"""The citations of a table: the sentences that say why a row is in it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.every.close import _cited, _heads
from hopyard.nodes.every.table import Item


def passage(title: str, text: str) -> Passage:
    return Passage("p", "p", 0, title, text, "", 9)


MINUTES = passage("Minutes", "Date: 4 May 2026\n\nPresent: Agnes Pell, Yusuf Demir, Tom Hale")
BRIDGES = passage(
    "Bridges",
    "# Iron Bridge\n\nIt crosses the Severn. It was closed to cars in 1934.\n\n"
    "# Mill Bridge\n\nThe Mill Bridge is open.",
)


@pytest.mark.parametrize(
    ("question", "name", "held", "quotes"),
    [
        (
            "How many meetings did Yusuf Demir attend?",
            "Meeting of 4 May 2026",
            MINUTES,
            ["Date: 4 May 2026", "Present: Agnes Pell, Yusuf Demir, Tom Hale"],
        ),
        (
            "List all bridges that are closed to cars.",
            "Iron Bridge",
            BRIDGES,
            ["It was closed to cars in 1934."],
        ),
    ],
)
def test_what_fits_the_question_is_quoted_and_not_the_name_alone(
    question: str, name: str, held: Passage, quotes: list[str]
) -> None:
    [cited], places = _cited(question, [Item([{name: ["p"]}])], {"p": held}, {})
    assert (cited["quotes"], cited["supported"], places) == (quotes, True, {(0, "p"): 1})
    assert cited["claim"] == f"{name}: {name}"


def test_a_row_that_its_passage_does_not_name_is_marked() -> None:
    [cited], _ = _cited(
        "Which bridges are closed?", [Item([{"Ulm Bridge": ["p"]}])], {"p": MINUTES}, {}
    )
    assert not cited["supported"]


def test_a_passage_of_an_items_own_document_need_not_name_it() -> None:
    held = passage("Curriculum vitae", "Education: master of law in 2001.")
    item = Item([{"Kim Lee": ["first"]}, {"master of law": ["p"]}])
    passages = {"p": held, "first": replace(held, id="first", text="Kim Lee, born in Ulm.")}
    for text, source, supported in (
        ("# Curriculum vitae\n\nKim Lee, born in Ulm", "a.pdf", True),
        ("Curriculum vitae", "papers/Kim_Lee-2024.pdf", True),
        ("Curriculum vitae of Kim Leeson", "a.pdf", False),
        ("Curriculum vitae\nUlm\nReferee: Kim Lee", "a.pdf", False),
    ):
        corpus: Any = SimpleNamespace(passages_of=lambda _, text=text: [passage("", text)])
        index: Any = SimpleNamespace(corpus=corpus)
        heads = _heads(index, [replace(held, source=source)])
        cited, _ = _cited("Which degrees have they?", [item], passages, heads)
        assert [each["supported"] for each in cited] == [True, supported]
