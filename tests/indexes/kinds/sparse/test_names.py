"""Which documents a question names."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from hopyard.indexes.kinds.sparse.names import DocumentNames

NAMES = (
    ("reports/HARBOURLINES_2021_annual.pdf", "2022-02-01"),
    ("reports/HARBOURLINES_2022_annual.pdf", "2023-02-01"),
    ("reports/report7.pdf", "NORTH ISLE FERRIES\nNorth Isle Ferries & Sons, 2022"),
    ("Minutes of the board", "We met at noon."),
)


@pytest.fixture
def names() -> DocumentNames:
    return DocumentNames.build("abcd", NAMES)


def best(names: DocumentNames, question: str) -> list[int]:
    scores, _, _ = names.named(question)
    return np.flatnonzero((scores > 0) & (scores == scores.max())).tolist()


@pytest.mark.parametrize(
    ("question", "documents"),
    [
        ("What did Harbour Lines earn in 2022?", [1]),
        ("What did Harbour Lines earn in FY2021?", [0]),
        ("the ships of Harbour", [0, 1]),
        ("How many ships has NIF?", [2]),
        ("How many ships has NORIS got?", [2]),
        ("Who spoke to the board?", [3]),
        ("Who was it?", []),
    ],
)
def test_names_apart_begun_and_abbreviated(
    names: DocumentNames, question: str, documents: list[int]
) -> None:
    assert best(names, question) == documents


def test_a_word_weighs_its_rarity_and_less_in_small_letters(names: DocumentNames) -> None:
    scores, sure, said = names.named("Minutes of HARBOURLINES")
    rarity = {held: math.log(1 + (4 - held + 0.5) / (held + 0.5)) for held in (1, 2)}
    assert scores.tolist() == pytest.approx([rarity[2], rarity[2], 0, rarity[1]])
    # Half of the documents are called HARBOURLINES: that tells none of them apart.
    assert [(word, documents.tolist()) for word, documents in said] == [("Minutes", [3])]
    assert sure == 1
    scores, sure, _ = names.named("minutes")
    assert sure == 0
    assert scores[3] == pytest.approx(rarity[1] / 2)


def test_a_question_of_other_names_names_no_document_surely(names: DocumentNames) -> None:
    # No name has "Boat" and "Whale", so each counts half.
    _, sure, _ = names.named("Boat or Whale or HARBOURLINES")
    none, two = (math.log(1 + (4 - held + 0.5) / (held + 0.5)) for held in (0, 2))
    assert sure == pytest.approx(2 * two / (none + two))
    assert names.named("Boat or Whale")[1] == 0


def test_two_letters_joined_by_and_are_initials() -> None:
    names = DocumentNames.build("ab", [("Jones and Jones", ""), ("Smith", "")])
    for question in ("JnJ", "J&J", "JJ", "JandJ"):
        assert best(names, f"What does {question} make?") == [0]


def test_the_beginnings_of_a_joined_name_stand_for_it() -> None:
    files = ("AMERICANEXPRESS_2022.pdf", "AMERICANA.pdf", "BESTBUY.pdf", "GENERALMOTORS.pdf")
    names = DocumentNames.build("abcd", [(file, "") for file in files])
    assert best(names, "Does AMEX grow?") == [0]
    assert best(names, "Does GENMOT grow?") == [3]
    for question in ("Does amex grow?", "Does AMPO grow?", "Does BEBU grow?", "Does AMEXQ grow?"):
        assert names.named(question)[0].max() == 0, question
    # A word of a name goes before, and two joined names are no answer.
    known = DocumentNames.build("ab", [("AMERICANEXPRESS", ""), ("Amex fund", "")])
    assert best(known, "Does AMEX grow?") == [1]
    words = DocumentNames.build("ab", [("Navigators", ""), ("Associate", "")])
    assert words.named("Are NATO and ASIA in it?")[0].max() == 0
    both = DocumentNames.build("ab", [("AMERICANEXPRESS", ""), ("AMBIENTEXTRAS", "")])
    assert both.named("Does AMEX grow?")[0].max() == 0


def test_names_are_kept(names: DocumentNames, tmp_path: Path) -> None:
    names.save(tmp_path)
    kept = DocumentNames.load(tmp_path)
    assert len(kept) == len(names) == 4
    question = "Harbour Lines or NIF in 2022?"
    assert kept.named(question)[0].tolist() == names.named(question)[0].tolist()
