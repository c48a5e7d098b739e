"""Citations: sentences that are in their passage and support the answer."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.citations import MOST_CITATIONS, cite, contains_quote


def passage(title: str, text: str, name: str = "") -> Passage:
    return Passage(
        id=name or title.lower().replace(" ", "-"),
        document_id=title,
        position=0,
        title=title,
        text=text,
        content_hash="",
        tokens=len(text.split()),
    )


IRON = passage("Iron Bridge", "The Iron Bridge crosses the Severn. It was opened in 1781!")
STONE = passage("Stone Bridge", "The Stone Bridge was completed in 1146. It crosses the Danube.")
DANUBE = passage("Danube", "The Danube is 2,850 kilometres long. It flows through Regensburg.")
MUNCH = passage("Edvard Munch", "He painted The Scream in 1893. He was born in Løten, in Norway.")


WHEN, MUNCH_BORN = "When was the Iron Bridge opened?", "Where was Munch born?"
OPENED, CROSSES = "It was opened in 1781!", "It crosses the Danube."
LONG = "The Danube is 2,850 kilometres long."
PAINTED, BORN = "He painted The Scream in 1893.", "He was born in Løten, in Norway."
QUOTED = {
    "a date": (WHEN, "1781", [OPENED]),
    "a number": ("How long is the Danube?", "2,850 kilometres", [LONG]),
    "other letters, other case": (MUNCH_BORN, "LØTEN", [BORN]),
    "letters in two parts": (MUNCH_BORN, unicodedata.normalize("NFD", "Løten, Norway"), [BORN]),
    "only the title names it": ("Which bridge crosses the Danube?", "Stone Bridge", [CROSSES]),
    "he is whom the title names": ("Who painted The Scream?", "Edvard Munch", [PAINTED]),
    "no": (
        "Do the Iron Bridge and the Stone Bridge both cross the Danube?",
        "no",
        [OPENED, CROSSES],
    ),
    "yes": (
        "Was the Iron Bridge opened before The Scream was painted?",
        "Yes, it was.",
        [OPENED, PAINTED],
    ),
    "words that stand in every passage": (
        "Which was opened first, the Iron Bridge or the Stone Bridge?",
        "The first.",
        [OPENED, CROSSES],
    ),
    "more than any sentence says": (
        WHEN,
        "The Iron Bridge was opened to traffic in the year 1781",
        [],
    ),
    "a whole sentence whose news stands there": (
        "In which year was the bridge of iron opened to the public?",
        "The bridge of iron was opened to the public in 1781.",
        [OPENED],
    ),
    "another number": (WHEN, "1782", []),
    "part of a number": (WHEN, "178", []),
    "a name made up": ("Who opened the Iron Bridge?", "Napoleon", []),
    "nothing of the question": ("Who sang at the wedding?", "yes", []),
    "a question without a content word": ("Is it so?", "yes", []),
    "unknown": (WHEN, "Unknown", []),
    "unknown, small": (WHEN, " unknown ", []),
    "nothing": (WHEN, "", []),
    "no word": (WHEN, "?!", []),
}


@pytest.mark.parametrize("case", QUOTED)
def test_what_is_quoted(case: str) -> None:
    question, answer, quotes = QUOTED[case]
    found = cite(question, answer, [IRON, STONE, DANUBE, MUNCH])
    assert [citation["quote"] for citation in found] == quotes


def test_a_citation_names_its_passage() -> None:
    assert cite("Which bridge was completed in 1146?", "Stone Bridge", [IRON, STONE]) == [
        {
            "passage_id": "stone-bridge",
            "title": "Stone Bridge",
            "quote": "The Stone Bridge was completed in 1146.",
            "quotes": ["The Stone Bridge was completed in 1146."],
        }
    ]


def test_at_most_three_in_the_order_of_the_passages() -> None:
    many = [passage("Page", f"Page {number} is from 1781.", f"p{number}") for number in range(9)]
    found = cite("From when is it?", "1781", many)
    assert [citation["passage_id"] for citation in found] == ["p0", "p1", "p2"]
    assert len(found) == MOST_CITATIONS


def test_of_two_sentences_the_one_nearer_to_the_question_then_the_shorter() -> None:
    text = "In 1781 it rained a lot. In 1781 the bridge was opened. The bridge was opened 1781."
    found = cite("When was the bridge opened?", "1781", [passage("A", text)])
    assert [citation["quote"] for citation in found] == ["The bridge was opened 1781."]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ('He said "It was 1781." Then he left.', 'He said "It was 1781."'),
        ("It cost 1.5 marks in 1781. Then 2.", "It cost 1.5 marks in 1781."),
        ("No full stop in 1781", "No full stop in 1781"),
        ("First line\nin 1781 still.\n\nOther.", "First line\nin 1781 still."),
        ("Was it 1781? Yes.", "Was it 1781?"),
        ("1781", "1781"),
    ],
)
def test_where_a_sentence_ends(text: str, quote: str) -> None:
    assert [cited["quote"] for cited in cite("When?", "1781", [passage("A", text)])] == [quote]


@pytest.mark.parametrize(
    ("quote", "stands"),
    [
        ("It was opened in 1781!", True),
        ("was  opened\nin", True),
        ("It was opened in 1782!", False),
        ("it was opened", False),
        ("", False),
        ("  ", False),
        ("Stone Bridge", False),
    ],
)
def test_a_quote_contains_quote_a_passage_white_space_aside(quote: str, stands: bool) -> None:
    assert contains_quote(IRON, quote) is stands


words = st.sampled_from(
    [
        "bridge",
        "Iron",
        "1781",
        "é",
        "e\u0301",
        "río",
        "橋",
        "yes",
        "no",
        "the",
        "Mr.",
        "3.5",
        '"so."',
    ]
)
texts = st.lists(words | st.text(max_size=8), max_size=25).map(" ".join)
spaces = st.sampled_from([" ", "\n", "\t", "\u2028", "\u00a0"])


@given(question=texts, answer=texts, pages=st.lists(st.tuples(texts, texts), max_size=5))
def test_every_quote_contains_quote_its_passage_word_for_word(
    question: str, answer: str, pages: list[tuple[str, str]]
) -> None:
    passages = [passage(title, text, f"p{number}") for number, (title, text) in enumerate(pages)]
    by_id = {cited.id: cited for cited in passages}
    found = cite(question, answer, passages)
    assert len(found) <= MOST_CITATIONS
    assert len({citation["passage_id"] for citation in found}) == len(found)
    for citation in found:
        cited = by_id[citation["passage_id"]]
        assert citation["quote"].strip()
        assert citation["quote"] in cited.text
        assert contains_quote(cited, citation["quote"])
        assert citation["title"] == cited.title


@given(text=texts, space=spaces)
def test_white_space_in_a_passage_changes_no_finding(text: str, space: str) -> None:
    plain = passage("Title", f"{text}. It was in 1781.")
    other = passage("Title", plain.text.replace(" ", space))
    first, second = (cite("When was it?", "1781", [page]) for page in (plain, other))
    assert len(first) == len(second) == 1
