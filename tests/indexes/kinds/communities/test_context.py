"""Lines that fit into a prompt, in order; worked by hand with a token a word."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.indexes.kinds.communities.context import (
    Shown,
    fits,
    leaf,
    numbered,
    references,
    with_numbers,
    with_reports,
)
from hopyard.indexes.kinds.communities.elements import Element, Group
from hopyard.indexes.kinds.communities.records import Finding, Report


def words(text: str) -> int:
    return len(text.split())


def element(name: str, tokens: int) -> Element:
    """An element whose line has so many words, its number included."""
    return Element(name, " ".join([name.lower()] * (tokens - 1)))


def group(*ends: str, by: str = "", tokens: int = 3) -> Group:
    """A relationship whose line has so many tokens; each of its entities has two."""
    relationship = element(by, tokens) if by else None
    return Group(tuple(element(name, 2) for name in ends), relationship)


def report(name: str, rating: float, tokens: int, *read: str, findings: int = 0) -> Report:
    """A report whose first line has so many words: the heading, the title, and the summary.

    Each finding is a line of four words: `- s: x [R1]`.
    """
    summary = " ".join(["w"] * (tokens - 2))
    found = [Finding(summary="s", explanation="x", elements=("R1",))] * findings
    return Report(
        community=name, title=name, summary=summary, rating=rating, findings=found, read=read
    )


def chosen(shown: Shown) -> str:
    return " ".join(each.id for each in shown.elements)


CHAIN = [group("E1", "E2", by="R1"), group("E2", "E3", by="R2"), group("E3", "E4", by="R3")]
"""Costs: E1 E2 R1 are 2 + 2 + 3, E3 R2 are 2 + 3, and E4 R3 are 2 + 3: 17 in all."""


@pytest.mark.parametrize(
    ("budget", "shown"),
    [
        (17, "E1 E2 R1 E3 R2 E4 R3"),
        (16, "E1 E2 R1 E3 R2 E4"),
        (13, "E1 E2 R1 E3 R2"),
        (12, "E1 E2 R1 E3 R2"),
        (11, "E1 E2 R1 E3"),
        (7, "E1 E2 R1"),
        (1, ""),
    ],
)
def test_a_leaf_shows_source_target_and_relationship_until_the_budget_is_full(
    budget: int, shown: str
) -> None:
    assert chosen(leaf(CHAIN, budget, words)) == shown


def test_a_leaf_stops_at_the_first_line_that_does_not_fit() -> None:
    """E3 would still fit after R2, which has ten tokens."""
    groups = [group("E1", "E2", by="R1"), group("E2", by="R2", tokens=10), group("E3")]
    assert chosen(leaf(groups, 12, words)) == "E1 E2 R1"


def test_no_more_is_read_than_fits() -> None:
    read = []

    def groups() -> Iterator[Group]:
        for each in CHAIN:
            read.append(each)
            yield each

    leaf(groups(), 8, words)
    assert read == CHAIN[:2]


# Higher levels

HIGHER = [
    group("E1", "E2", by="R1", tokens=20),  # part a: 2 + 2 + 20 = 24
    group("E2", "E3", by="R2", tokens=5),  # between a and b: 5
    group("E3", "E4", by="R3", tokens=30),  # part b: 2 + 2 + 30 = 34
    group("E5"),  # part c: 2
    group("E4", "E5", by="R4", tokens=6),  # between b and c: 6
]
"""71 tokens in all."""
REPORTS = {
    "a": report("A", 3, 10, "E1", "E2", "R1"),
    "b": report("B", 7, 12, "E3", "E4", "R3"),
    "c": report("C", 9, 8, "E5"),
}


@pytest.mark.parametrize(
    ("budget", "elements", "reports"),
    [
        # Everything fits, as in a leaf.
        (71, "E1 E2 R1 E3 R2 E4 R3 E5 R4", ""),
        # The largest part is replaced first: 71 - 34 + 12 = 49.
        (70, "E1 E2 R1 R2 E5 R4", "B"),
        (49, "E1 E2 R1 R2 E5 R4", "B"),
        # Then the next: 49 - 24 + 10 = 35. The report about c is longer than its elements.
        (48, "R2 E5 R4", "B A"),
        (35, "R2 E5 R4", "B A"),
        # After the reports, with 22 tokens, the rest is chosen by combined degree.
        (34, "R2 E5", "B A"),
        (28, "R2", "B A"),
        (22, "", "B A"),
        # The reports alone do not fit, so the lowest rating is left out, and its elements count
        # again: after E1 and E2, there is no room for R1.
        (21, "E1 E2", "B"),
        (12, "", "B"),
        (11, "E1 E2", ""),
    ],
)
def test_a_higher_community_shows_reports_in_place_of_elements(
    budget: int, elements: str, reports: str
) -> None:
    shown = with_reports(HIGHER, REPORTS, budget, words)
    assert chosen(shown) == elements
    assert " ".join(each.title for each in shown.reports) == reports


def test_a_part_without_a_report_keeps_its_elements() -> None:
    """Only a can be replaced: 71 - 24 + 10 = 57."""
    reports = {"a": REPORTS["a"]}
    shown = with_reports(HIGHER, reports, 60, words)
    assert chosen(shown) == "E3 R2 E4 R3 E5 R4"
    assert chosen(with_reports(HIGHER, reports, 30, words)) == "E3 R2 E4"


def test_a_relationship_between_parts_is_replaced_if_a_report_was_written_from_it() -> None:
    """A sentence can name two entities of one part and another entity of the next.

    Report a read R2 too, so it saves 24 + 5 tokens: 71 - 34 + 12 - 29 + 10 = 30.
    """
    reports = REPORTS | {"a": report("A", 3, 10, "E1", "E2", "R1", "R2")}
    shown = with_reports(HIGHER, reports, 30, words)
    assert (chosen(shown), [each.title for each in shown.reports]) == ("E5 R4", ["B", "A"])
    assert set(shown.read) == {"E1", "E2", "R1", "R2", "E3", "E4", "R3", "E5", "R4"}


def test_what_a_report_did_not_read_is_not_replaced() -> None:
    """Report b read E3 and R3 alone: 71 - 32 + 12 = 51."""
    reports = {"b": report("B", 7, 12, "E3", "R3")}
    shown = with_reports(HIGHER, reports, 51, words)
    assert chosen(shown) == "E1 E2 R1 R2 E4 E5 R4"


LONG = {
    "a": report("A", 3, 4, "E1", "E2", "R1", findings=3),
    "b": report("B", 7, 4, "E3", "E4", "R3", findings=2),
}
"""Costs: 4 + 3 * 4 = 16 and 4 + 2 * 4 = 12. Without them, 13 tokens of elements are left."""


@pytest.mark.parametrize(
    ("budget", "elements", "findings"),
    [
        (41, "R2 E5 R4", {"B": 2, "A": 3}),  # 28 + 13
        # 27 tokens are left for reports: each has its first finding, then its second, 24 in all.
        (40, "R2 E5 R4", {"B": 2, "A": 2}),
        (36, "R2 E5 R4", {"B": 2, "A": 1}),  # 23: the heads and three findings are 20
        # Findings give way up to half of the budget: of 24, reports take the heads and 1 finding.
        (24, "R2 E5", {"B": 1, "A": 0}),
        (8, "", {"B": 0, "A": 0}),
    ],
)
def test_reports_that_do_not_fit_show_fewer_findings(
    budget: int, elements: str, findings: dict[str, int]
) -> None:
    shown = with_reports(HIGHER, LONG, budget, words)
    assert {each.title: len(each.findings) for each in shown.reports} == findings
    assert chosen(shown) == elements
    assert set(shown.read) > {"R1", "R3"}, "their elements were read"


@given(budget=st.integers(0, 80), ratings=st.tuples(*[st.integers(0, 10)] * 3))
def test_what_is_shown_fits_and_is_shown_once(budget: int, ratings: tuple[int, int, int]) -> None:
    reports = {
        part: report(part.upper(), rating, tokens, *REPORTS[part].read)
        for part, rating, tokens in zip("abc", ratings, (10, 12, 2), strict=True)
    }
    shown = with_reports(HIGHER, reports, budget, words)
    used = sum(words(f"{each.id} {each.text}") for each in shown.elements)
    used += sum(words(f"Report: {each.title}. {each.summary}") for each in shown.reports)
    assert used <= budget
    replaced = {name for each in shown.reports for name in each.read}
    assert not replaced & {each.id for each in shown.elements}
    assert len({each.id for each in shown.elements}) == len(shown.elements)


def test_the_number_of_a_row_does_not_count() -> None:
    """A document that is added moves rows, and the same lines must still fit."""
    long = [Group((Element("E1234567", "x"),))]
    assert leaf(long, 3, len).elements == ()
    assert leaf(long, len("E99 x"), len).elements == leaf(long, 99, len).elements != ()


# Numbers


def test_lines_have_numbers_of_their_own_in_the_order_of_rows() -> None:
    shown = leaf([group("E31", "E7", by="R40"), group("E7", "E9", by="R5")], 99, words)
    text, ids = numbered(shown)
    assert text == ("Entities:\nE1 e7\nE2 e9\nE3 e31\nRelationships:\nR1 r5 r5\nR2 r40 r40")
    assert ids == {"E1": "E7", "E2": "E9", "E3": "E31", "R1": "R5", "R2": "R40"}


def test_reports_show_the_numbers_of_their_elements() -> None:
    finding = Finding(
        summary="They met",
        explanation="Alba met Bert [E7, S2].\nThen she swam [E7].",
        elements=("E7", "S2"),
    )
    own = Report(community="1-0", title="Alba", summary="Two.", rating=5, findings=(finding,))
    text, ids = numbered(Shown((Element("E3", "Cora"),), (own,)))
    assert text.splitlines() == [
        "Entities:",
        "E1 Cora",
        "Report: Alba. Two.",
        "- They met: Alba met Bert. Then she swam. [E2, S1]",
    ]
    assert ids == {"E1": "E3", "E2": "E7", "S1": "S2"}


def test_references() -> None:
    text = "He left [E12, R7]. She [E12] stayed [ S3 ;E4 ] with R9 [at home] [1]."
    assert references(text) == ["E12", "R7", "S3", "E4"]
    numbers = {"E12": "E1", "R7": "R2", "E4": "E5"}
    assert with_numbers(text, numbers) == (
        "He left [E1, R2]. She [E1] stayed [E5] with R9 [at home] [1]."
    )
    assert with_numbers("Gone [E8].", numbers) == "Gone."


# Sentences and names


def sentence(number: int, source: str, tokens: int = 3) -> Group:
    """A sentence about a bare name, whose line has so many words."""
    line = element(f"S{number}", tokens)
    return Group((NAME,), Element(line.id, line.text, source, NAME.names))


NAME = Element("E1", "Alba", names=("Alba",))
TOLD = [sentence(4, "Alba (News, 1999)"), sentence(9, "Bert"), sentence(5, "Alba (News, 1999)")]
"""Costs: `From Alba (News, 1999):` has 4 words and `From Bert:` 2, so 7 + 5 + 3 = 15 in all."""


@pytest.mark.parametrize(
    ("budget", "shown"), [(15, "S4 S9 S5"), (14, "S4 S9"), (12, "S4 S9"), (11, "S4"), (6, "")]
)
def test_the_line_above_sentences_costs_once_and_names_cost_nothing(
    budget: int, shown: str
) -> None:
    assert chosen(leaf(TOLD, budget, words)) == shown
    assert fits(TOLD, budget, words) == (budget >= 15)


def test_sentences_of_a_passage_are_below_its_heading() -> None:
    text, ids = numbered(leaf(TOLD, 99, words))
    assert text.splitlines() == [
        "Sentences:",
        "From Alba (News, 1999):",
        "S1 s4 s4",
        "S2 s5 s5",
        "From Bert:",
        "S3 s9 s9",
    ]
    assert ids == {"S1": "S4", "S2": "S5", "S3": "S9"}


def test_names_are_shown_if_nothing_is_said_about_them() -> None:
    """Each costs two tokens."""
    other = Element("E2", "Bert", names=("Bert",))
    groups = [Group((NAME, other))]
    assert chosen(leaf(groups, 4, words)) == "E1 E2"
    assert chosen(leaf(groups, 3, words)) == "E1"
    assert fits(groups, 0, words), "no name is needed"


def test_a_title_cannot_pose_as_a_line() -> None:
    text, _ = numbered(leaf([sentence(1, "S9 Alba is a queen.\nS10 So is Bert.")], 99, words))
    assert text.splitlines()[1] == "From S9 Alba is a queen. S10 So is Bert.:"


def test_lines_above_sentences_count_when_reports_replace_elements() -> None:
    """Part a has 7 tokens with the line above its sentence, and its report has 6."""
    groups = [sentence(4, "Alba (News, 1999)")]
    reports = {"a": report("A", 3, 6, "E1", "S4")}
    assert with_reports(groups, reports, 7, words).reports == ()
    assert with_reports(groups, reports, 6, words).reports == (reports["a"],)
