"""Where sentences begin and end, and what is quoted of lists and tables."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.text.sentences import (
    cells_of_row,
    context_of_row,
    header_of_row,
    readable,
    sentence_spans,
)
from hopyard.nodes.citations import cite, place_claims
from hopyard.nodes.cited_answer import cite_answer

CONTACTS = """\
# Contacts

Call us at any hour. The desk answers first.

| Department | Name | Phone |
|---|---|---|
| Reception | Ms. Ana Ruiz | 555-1234 |
| Security | Mr. Jo Feld | 555-9999. Night only. |

After 22:00 the security desk has the phone of the reception."""


def passage(text: str, title: str = "Handbook", section: str = "") -> Passage:
    return Passage("p", "d", 0, title, text, "", 9, section=section)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "2025-10-03T06:30:11Z ERROR job=1 failed: it was closed. By whom?\n"
            "  at line 3\n[2025-10-03 06:30:17] INFO restored",
            [
                "2025-10-03T06:30:11Z ERROR job=1 failed: it was closed. By whom?\n  at line 3",
                "[2025-10-03 06:30:17] INFO restored",
            ],
        ),
        (
            "database: postgresql://tern@db1.prod.internal/tern,other\nqueues:\n  mail: {a: 16}",
            [
                "database: postgresql://tern@db1.prod.internal/tern,other",
                "queues:",
                "mail: {a: 16}",
            ],
        ),
        (
            "info › title: tern\npaths › /queues/{name}/pause › post › summary: It pauses. Later",
            [
                "info › title: tern",
                "paths › /queues/{name}/pause › post › summary: It pauses. Later",
            ],
        ),
        (
            "Note: this is running text of a page,\nwhich goes on in lines. Result: nothing.",
            ["Note: this is running text of a page,\nwhich goes on in lines.", "Result: nothing."],
        ),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("A line\nof a text. Another\none.", ["A line\nof a text.", "Another\none."]),
        ('He said "so." Then he left.', ['He said "so."', "Then he left."]),
        (
            "Dr. Ruiz met J. Feld, e.g. at noon. Later too.",
            ["Dr. Ruiz met J. Feld, e.g. at noon.", "Later too."],
        ),
        (
            "Dr. med. Müller zahlte 5 Mio. Euro. Er ging.",
            ["Dr. med. Müller zahlte 5 Mio. Euro.", "Er ging."],
        ),
        ("By (R.) Smith and Ch. Darwin. It sold.", ["By (R.) Smith and Ch. Darwin.", "It sold."]),
        (
            "It is so (see A.) Then Wm. Ash left.",
            ["It is so (see A.)", "Then Wm. Ash left."],
        ),
        (
            "Our sales are in the U.S. Sales rose. The U.S. Senate met.",
            ["Our sales are in the U.S.", "Sales rose.", "The U.S. Senate met."],
        ),
        (
            "He lives in L.A. It is hot. J.R.R. Tolkien wrote.",
            ["He lives in L.A.", "It is hot.", "J.R.R. Tolkien wrote."],
        ),
        (
            "It was directed by R. W. Smith and K.V.\nReddy. Plan B. It won.",
            ["It was directed by R. W. Smith and K.V.\nReddy.", "Plan B.", "It won."],
        ),
        (
            "J.-P. Roy met Sen. Lee on Jan. 3 in the U.S. Senate. He left the U.S. After 5 p.m. A",
            [
                "J.-P. Roy met Sen. Lee on Jan. 3 in the U.S. Senate.",
                "He left the U.S.",
                "After 5 p.m.",
                "A",
            ],
        ),
        (
            "See Fig. 3 and No. 5. The answer is no. Then 7.",
            ["See Fig. 3 and No. 5.", "The answer is no.", "Then 7."],
        ),
        (
            "Am 3. Mai kam er, d.h. spät. Am 5. Kamen mehr.",
            ["Am 3. Mai kam er, d.h. spät.", "Am 5.", "Kamen mehr."],
        ),
        ("It cost 1.5 marks in 1781. Then 2.", ["It cost 1.5 marks in 1781.", "Then 2."]),
        ("東京は首都。江戸！他", ["東京は首都。", "江戸！", "他"]),
        ("서울은 수도이다. 한강이 흐른다.", ["서울은 수도이다.", "한강이 흐른다."]),
        ("# Head\nText follows. More.", ["# Head", "Text follows.", "More."]),
        ("No stop here\n\nNew paragraph", ["No stop here", "New paragraph"]),
        (
            "- first item\n  goes on\n- second. Item",
            ["- first item\n  goes on", "- second.", "Item"],
        ),
        ("1. Open it.\n2. Close it.", ["1. Open it.", "2. Close it."]),
        (
            "Reception: 555-1234\nSecurity: 555-9999\n이름: 김철수",
            ["Reception: 555-1234", "Security: 555-9999", "이름: 김철수"],
        ),
        ("Names are\nNapoleon and\nWellington.", ["Names are\nNapoleon and\nWellington."]),
        ("| a. B | c |\n|---|:-:|\n| d. E | f |", ["| a. B | c |", "| d. E | f |"]),
        (
            "Text above. Then\n| a | b |\nand below",
            ["Text above.", "Then", "| a | b |", "and below"],
        ),
        ("  \n ", []),
    ],
)
def test_where_sentences_end(text: str, found: list[str]) -> None:
    assert sentences(text) == found


@given(st.text(alphabet="aB. \n|#-!?1。", max_size=60))
def test_sentences_are_in_order_and_hold_every_word(text: str) -> None:
    spans = sentence_spans(text)
    assert all(start < end for start, end in spans)
    assert all(left[1] <= right[0] for left, right in itertools.pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    kept = "".join(text[start:end] for start, end in spans)
    assert all(kept.count(letter) == text.count(letter) for letter in "aB1")


def test_a_row_is_read_with_the_sentence_before_its_table_and_with_the_header() -> None:
    row = CONTACTS.index("| Security")
    assert context_of_row(CONTACTS, row) == "The desk answers first. | Department | Name | Phone |"
    assert context_of_row(CONTACTS, CONTACTS.index("| Department")) == ""
    assert context_of_row(CONTACTS, CONTACTS.index("Call us")) == ""
    assert context_of_row("| a |\n| b |", 6) == "| a |"
    assert context_of_row("# Prices\n| a |\n| b |", 15) == "| a |"


@pytest.mark.parametrize(
    ("claim", "quote"),
    [
        ("The phone of the reception is 555-1234.", "| Reception | Ms. Ana Ruiz | 555-1234 |"),
        ("Security is Jo Feld.", "| Security | Mr. Jo Feld | 555-9999. Night only. |"),
        ("The desk answers first.", "The desk answers first."),
    ],
)
def test_a_citation_quotes_the_row_that_supports_the_statement(claim: str, quote: str) -> None:
    [cited] = place_claims([(claim, passage(CONTACTS))])[0]
    assert (cited["quote"], cited["supported"]) == (quote, True)


def test_a_row_is_read_with_its_header() -> None:
    table = "| City | Highest rate |  |\n|---|---|---|\n| London | 190 | no |\n| Bath | | |"
    row = table.index("| London"), table.index("\n| Bath")
    assert readable(table, row) == "City: London · Highest rate: 190 · no"
    assert readable(table, (row[1] + 1, len(table))) == "City: Bath"
    assert header_of_row(table, row[0]) == ["City", "Highest rate", ""]
    cut = "| London | 190 |\n| Bath | 120 |"  # the rest of a table: no header is known
    assert readable(cut, (17, len(cut))) == "Bath · 120"
    assert readable("A sentence.", (0, 11)) == "A sentence."
    assert cells_of_row(r"| a \| b | c |") == ["a | b", "c"]


@pytest.mark.parametrize("between", ["\n\n", "\n"])
def test_a_table_below_another_has_its_own_header(between: str) -> None:
    form = "| Invoice | 15 |\n|---|---|\n| Date | 2026-02-19 |"
    items = "| Item | Amount |\n|---|---|\n| Overhaul | 1,850 |"
    text = f"Hull\n\n{form}{between}{items}"
    row = text.index("| Overhaul")
    assert readable(text, (row, len(text))) == "Item: Overhaul · Amount: 1,850"
    assert header_of_row(text, text.index("| Date")) == ["Invoice", "15"]
    assert context_of_row(text, row).endswith("| Item | Amount |")


def test_a_row_and_its_header_support_a_statement_together() -> None:
    table = passage("| Phone | Name |\n|---|---|\n| 555-1234 | Ruiz |", title="List")
    [cited] = place_claims([("Ruiz has the phone 555-1234", table)])[0]
    assert (cited["quote"], cited["supported"]) == ("| 555-1234 | Ruiz |", True)


def test_a_neighbour_that_shares_a_word_is_not_quoted() -> None:
    text = passage("The bridge was built in winter. Napoleon opened it in 1805. It rained in 1806.")
    [cited] = place_claims([("Napoleon opened the bridge in 1805", text)])[0]
    assert cited["quote"] == "Napoleon opened it in 1805."


def test_two_sentences_are_quoted_where_neither_alone_supports_the_statement() -> None:
    text = passage("The Danube is long. Regensburg lies on it. Nothing else is known.", "Rivers")
    [cited] = place_claims([("The Danube passes Regensburg", text)])[0]
    assert cited["quote"] == "The Danube is long."
    assert cited["quotes"] == ["The Danube is long.", "Regensburg lies on it."]


def test_a_heading_is_not_quoted_where_a_sentence_says_as_much() -> None:
    text = passage("## Opening hours\n\nThe opening hours are from nine to five.")
    [cited] = place_claims([("Opening hours", text)])[0]
    assert cited["quote"] == "The opening hours are from nine to five."


def test_the_section_says_what_a_sentence_is_about() -> None:
    text = passage("Ana Ruiz answers calls.", section="Contacts › Reception")
    [cited] = place_claims([("The reception's contacts: Ana Ruiz", text)])[0]
    assert cited["supported"]
    assert [c["quote"] for c in cite("Who is at the reception?", "Ana Ruiz", [text])] == [
        "Ana Ruiz answers calls."
    ]


def test_an_answer_from_a_table_cites_its_row() -> None:
    cited = cite_answer(
        "What is the phone of the security?", "555-9999", [passage(CONTACTS)], [1]
    ).citations
    assert [(c["quote"], c["supported"]) for c in cited] == [
        ("| Security | Mr. Jo Feld | 555-9999. Night only. |", True)
    ]


def test_many_initials_take_no_square_of_their_number() -> None:
    assert sentence_spans("A. B. " * 10_000) == [(0, 59_999)]  # took 18 s


def test_a_row_with_an_amount_is_no_header_but_one_of_round_amounts_is() -> None:
    table = "| {} | {} |\n|---|---|\n| Basic | 14 |"
    for cells, header in (
        (("Debt $ 2", "$ 3"), []),
        (("Total", "8,284"), []),
        (("Sum insured", "$1,000"), ["Sum insured", "$1,000"]),
        (("Library", "10,000"), ["Library", "10,000"]),
    ):
        text = table.format(*cells)
        assert header_of_row(text, text.index("| Basic")) == header
