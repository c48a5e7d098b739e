"""Statements that passages state, and statements that they do not, by the rules.

`statements.jsonl` has passages, right statements about them, and wrong statements: another row,
number, name, date or unit, a wrong calculation.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hopyard.indexes.corpus.records import Passage
from hopyard.nodes.citations import cite_passages, place_claims
from hopyard.nodes.cited_answer import NOT_STATED, cite_answer
from hopyard.nodes.support.compare import compare

GROUPS = [
    json.loads(line)
    for line in Path(__file__).with_name("statements.jsonl").read_text("utf-8").splitlines()
]


def passage(title: str, text: str, section: str = "") -> Passage:
    return Passage(f"{title}/{section}", title, 0, title, text, "", 0, section=section)


@pytest.mark.parametrize("group", GROUPS, ids=[group["name"] for group in GROUPS])
def test_right_statements_are_supported_and_wrong_ones_are_not(group: dict[str, list[str]]) -> None:
    passages = [passage(**given) for given in group["passages"]]  # type: ignore[arg-type]
    marked = [each for each in group["right"] if not compare(each, passages).supported]
    missed = [each for each in group["wrong"] if compare(each, passages).supported]
    assert (marked, missed) == ([], [])


def test_the_name_of_the_file_counts() -> None:
    signed = replace(passage("Supply", "Signed in Bremen."), source="deals/Supply_v2.docx")
    assert compare("Version v2 was signed in Bremen", [signed]).supported
    assert not compare("Version v3 was signed in Bremen", [signed]).supported


def test_a_person_or_year_in_the_name_of_the_file_supports_nothing() -> None:
    lee = passage("Contract", "It was signed by Lee. Sales fell in 2021.")
    signed = replace(lee, source="deals/Kim_contract_2022_15.pdf")
    assert compare("It was signed by Lee", [signed]).supported
    wrong = ("It was signed by Kim", "Sales fell in 2022", "Sales fell by 15 in 2021")
    assert not any(compare(each, [signed]).supported for each in wrong)


@pytest.mark.parametrize("digits", ["3" * 5000, "123 " * 2000, "1." * 5000, "a" * 100_000])
def test_a_very_long_word_or_number_is_read_at_once(digits: str) -> None:
    passages = [passage("Pi", f"{digits} is long. The Bay has 6 214 trees.")]
    assert compare("The Bay has 6,214 trees", passages).supported
    assert not compare("The Bay has 6,215 trees", passages).supported


LIMITS = passage(
    "Lifting rules",
    "Wind speeds in m/s.\n\n| Crane | Slow down | Stop |\n|---|---|---|\n| TK-2 | 9 | 14 |\n"
    "| YC-5 | 15 | 21 |\n| Stacker | 18 | 24 |",
)


def test_a_comparison_quotes_both_rows_with_their_header() -> None:
    statement = "YC-5 may work at 7 m/s more wind than TK-2, which must stop at 14 m/s"
    [cited] = place_claims([(statement, LIMITS)])[0]
    assert cited["supported"]
    assert cited["quotes"] == [
        "Crane: TK-2 · Slow down: 9 · Stop: 14",
        "Crane: YC-5 · Slow down: 15 · Stop: 21",
    ]


def test_the_sentence_before_says_who_she_is() -> None:
    people = passage(
        "People",
        "Agnes Pell keeps the books. She is a first aider.\n\nYusuf Demir does electrics.\n\n"
        "Lena Fischer joined in 2026. She is a first aider too.",
    )
    claim = "Agnes Pell is a first aider, and Lena Fischer too; of Yusuf Demir nothing is said"
    [cited] = place_claims([(claim, people)])[0]
    assert cited["quote"] == "She is a first aider too."
    assert "Lena Fischer joined in 2026." in cited["quotes"]


def test_no_sentence_is_before_the_first() -> None:
    names = ("Bertha Crane", "Carl Dorn", "Emil Falk")
    text = "Anna Lind opened the harbour in 1950. " + " ".join(f"{name} came." for name in names)
    claim = f"Anna Lind opened the harbour in 1950; {', '.join(names)} came"
    [cited] = place_claims([(claim, passage("Port", text))])[0]
    assert cited["quotes"][1:] == ["Bertha Crane came.", "Carl Dorn came."]


def test_what_the_title_says_is_no_reason_to_quote_a_sentence() -> None:
    probe = passage("Voyager 1", "Voyager 1 was launched in 1977. It flew past Saturn in 1980.")
    [cited] = place_claims([("Voyager 1 flew past Saturn in November 1980", probe)])[0]
    assert cited["quotes"] == ["It flew past Saturn in 1980."]


def test_a_question_is_quoted_after_what_is_stated() -> None:
    text = (
        "**What does shipping cost?**\nEUR 6 to Ulm, free from EUR 60. EUR 15 abroad. "
        "We ship to no island.\n\n**When do you open?**\nAt nine."
    )
    claim = (
        "Shipping costs EUR 6 to Ulm (free from EUR 60) and EUR 15 abroad; they ship to no island"
    )
    [cited] = place_claims([(claim, passage("Shop", text))])[0]
    assert cited["quotes"][1:] == ["EUR 15 abroad.", "We ship to no island."]


def test_beside_a_name_below_a_letter_a_sentence_of_the_letter_is_quoted() -> None:
    letter = "Dear Bo,\n\nThe floor must carry the mill.\n\nAda Ito"
    [cited] = place_claims([("Ada Ito wrote in 2025", passage("Mill", letter))])[0]
    assert cited["quotes"] == ["The floor must carry the mill.", "Ada Ito"]
    assert cited["quote"] == "Ada Ito"


def test_a_short_answer_may_be_a_difference() -> None:
    question = "Which crane may work at stronger wind, TK-2 or YC-5, and by how much?"
    cited = cite_answer(question, "YC-5, by 7 m/s", [LIMITS], [1])
    assert ([each["supported"] for each in cited.citations], cited.unconfirmed) == ([True], "")
    wrong = cite_answer(question, "YC-5, by 8 m/s", [LIMITS], [1])
    assert wrong.unconfirmed == NOT_STATED


def test_a_sum_quotes_the_rows_that_it_adds() -> None:
    rows = "| April | 41,250 |\n| May | 44,980 |\n| June | 39,770 |"
    table = f"| Month | Containers |\n|---|---|\n{rows}"
    [cited] = place_claims(
        [("126,000 containers were handled in total", passage("Figures", table))]
    )[0]
    assert cited["supported"]
    assert cited["quotes"] == [
        "Month: April · Containers: 41,250",
        "Month: May · Containers: 44,980",
        "Month: June · Containers: 39,770",
    ]


def test_the_row_with_the_name_is_quoted() -> None:
    """Not one that shares a common word only."""
    staff = passage(
        "Staff",
        "| Name | Position | Site | Extension |\n|---|---|---|---|\n"
        "| Nadia Brückner | Crane dispatcher | Wismar | 5120 |\n"
        "| Paul Osei | Mechanic | Stralsund | 5134 |",
    )
    log = passage("Log", "The gear of a crane broke. Paul Osei found metal in the oil.")
    first, second = place_claims(
        [("Paul Osei found metal in the oil of the crane", each) for each in (log, staff)]
    )[0]
    assert first["supported"]
    assert second["quote"] == "| Paul Osei | Mechanic | Stralsund | 5134 |"


def test_a_passage_that_adds_nothing_is_marked() -> None:
    other = passage("Canteen", "The canteen opens at noon.")
    found = cite_passages("YC-5 must stop at 21 m/s", [LIMITS, other])
    assert [each and each["supported"] for each in found] == [True, False]


def test_the_header_of_a_table_that_is_cut_between_passages() -> None:
    header = "| Part | Bin | Pieces |\n|---|---|---|\n"
    parts = [
        passage("Stock", f"{header}| Bearing 6204 | D-11 | 340 |", "1"),
        passage("Stock", f"{header}| V-belt A42 | D-13 | 28 |", "2"),
    ]
    found = place_claims([("There are 28 V-belts A42 in bin D-13", part) for part in parts])[0]
    assert found[1]["quotes"] == ["Part: V-belt A42 · Bin: D-13 · Pieces: 28"]
    assert not compare("There are 28 pieces of bearing 6204", parts).supported


def test_thirty_and_three() -> None:
    leave = passage("Leave", "Everyone has thirty days of leave. Shift workers get three more.")
    assert compare("Shift workers have 30 + 3 = 33 days of leave", [leave]).supported
    assert compare("Shift workers have thirty-three days of leave in all", [leave]).supported
    assert not compare("Shift workers have 35 days of leave in all", [leave]).supported


def test_a_hundred_passages_are_read_together() -> None:
    texts = [f"The crane lifts {number} tons. It stands in hall {number}." for number in range(100)]
    many = [passage(f"Page {number}", text) for number, text in enumerate(texts)]
    assert compare("The crane lifts 77 tons", many).supported
    assert not compare("The crane lifts 177 tons", many).supported


SALES = """| | 2022 | 2021 |
|---|---|---|
| Net sales | $ 1,342 | $ 1,502 |
| Operating income | 212 | 315 |
"""
MILLIONS = f"""The amounts of this table are in millions, except for what each share has earned.

{SALES}| Earnings per share | $ 4.21 | $ 3.95 |
"""
TOWNS = "| Town in 2022 | Inhabitants |\n|---|---|\n| Alstadt | 1,342 |\n| Belheim | 8,210 |\n"
PRICES = "| Camera | Price |\n|---|---|\n| Nora | $1,342 |\n| Vela | $980 |\n"


@pytest.mark.parametrize(
    ("text", "statement", "supported"),
    [
        (SALES, "Net sales in 2022 were $1.3 billion.", True),
        (SALES, "Net sales in 2021 were $1.3 billion.", False),
        (SALES, "Net sales in 2022 were $1 billion.", False),
        (MILLIONS, "Net sales in 2022 were $1,342 million.", True),
        (MILLIONS, "Net sales in 2022 were about $1.3 billion.", True),
        (MILLIONS, "Net sales in 2021 were $1,342 million.", False),
        (MILLIONS, "Net sales in 2022 were $1,342.", False),
        (MILLIONS, "Net sales in 2022 were $1,342 thousand.", False),
        (MILLIONS, "Earnings per share in 2022 were $4.21.", True),
        (TOWNS, "Alstadt has 1.3 million inhabitants.", False),
        (PRICES, "The Nora costs $1.34 million.", False),
        (PRICES.replace("Price", "Price ($)"), "The Nora costs $1.34 million.", False),
    ],
)
def test_tables_that_may_be_in_millions(text: str, statement: str, supported: bool) -> None:
    assert compare(statement, [passage("Report", text)]).supported == supported


@pytest.mark.parametrize("written", ["FY2022", "FY 2022", "fiscal 2022"])
def test_a_fiscal_year_in_any_spelling(written: str) -> None:
    source = passage("Report", f"In {written} net sales were $5 million.")
    assert compare("Net sales in FY2022 were $5 million.", [source]).supported
    assert not compare("Net sales in FY2021 were $5 million.", [source]).supported
    years = passage("Report", SALES.replace("2022", "FY2022").replace("2021", "FY2021"))
    assert compare("Net sales in FY2022 were $1.3 billion.", [years]).supported
    assert not compare("Net sales in FY2021 were $1.3 billion.", [years]).supported


def test_only_a_year_in_the_name_of_a_file_is_a_number() -> None:
    source = passage("ACME_2022_10-K", "The board has several directors.")
    assert compare("The board had several directors in 2022.", [source]).supported
    assert not compare("The board has 10 directors.", [source]).supported


def test_a_part_of_a_sentence_is_in_the_language_of_the_question() -> None:
    statutes = passage(
        "Statutes",
        "In force from 2 April 2022. Notice of resignation: six weeks to a quarter's end.",
    )
    asked = "Welche Fristen gibt es seit 2022?"
    verdict = compare("2022 sechs Wochen zum Quartalsende", [statutes], about=asked)
    quotes = [statutes.text[slice(*span)] for span in verdict.quotes[0]]
    assert quotes[0] == "Notice of resignation: six weeks to a quarter's end."
    assert not compare("2022 acht Wochen zum Quartalsende", [statutes], about=asked).supported
