"""Rows of several calls become one row for each item."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopyard.nodes.every.table import Item, as_markdown, merge_rows, natural_order, sums
from hopyard.state.every import FoundRow


def row(*cells: str, by: str = "p") -> FoundRow:
    return FoundRow(cells=list(cells), passages=[by if cell else "" for cell in cells])


def shown(*rows: FoundRow, columns: int = 2) -> list[list[str]]:
    """The values of each item's cells."""
    return [["; ".join(cell) for cell in item.cells] for item in merge_rows(rows, columns)]


@pytest.mark.parametrize(
    ("question", "cells", "total"),
    [
        ("What is the total?", ("1.215,52", "1.291,49", "1.526,89"), "4.033,90"),
        ("Wie viel ist das zusammen?", ("60 kg", "1,240 kg"), "1,300 kg"),
        ("What is the total?", ("€ 12.50", "€ 7"), "19.50 €"),
        ("Which are there?", ("1", "2"), ""),
        ("What is the total?", ("1", ""), ""),  # a sum of a part would be wrong
        ("What is the total?", ("1", "2; 3"), ""),
        ("What is the total?", ("5 kg", "3 EUR"), ""),
        ("What is the total?", ("12 %", "3 %"), ""),
        ("What is the total?", ("2023", "2024"), ""),
        ("What is the total?", ("5",), ""),
        ("What is the total?", ("800 EUR", "1.200 EUR"), ""),  # 1.200 may be 1,200
        ("What is the total?", ("0,5 t", "1.200 t"), "1.200,5 t"),
        ("Wie hoch ist der Gesamtbetrag?", ("1", "2"), "3"),
        ("Which contracts has TotalEnergies?", ("1", "2"), ""),
        ("列出所有总统的年龄", ("61", "70"), ""),  # a president, no sum
        ("总共多少钱?", ("61", "70"), "131"),
    ],
)
def test_a_question_for_a_sum_gets_it_where_each_row_has_a_number(
    question: str, cells: tuple[str, ...], total: str
) -> None:
    items = merge_rows([row(f"C-{place}", cell) for place, cell in enumerate(cells)], 2)
    found = sums(question, ["Contract", "Amount"], items)
    assert found == (["", total] if total else [])
    last = as_markdown(["Contract", "Amount"], items, lambda *_: "", found).splitlines()[-1]
    assert (last == f"| Σ | {total} |") == bool(total)


def test_the_same_name_is_the_same_item() -> None:
    rows = [row("The Dawn", "1901"), row("the dawn", ""), row("Dusk", "1902")]
    assert shown(*rows) == [["Dusk", "1902"], ["The Dawn", "1901"]]


def test_cells_of_one_item_fill_each_other_and_keep_what_differs() -> None:
    rows = [row("Dawn", "", "Ada Berg"), row("Dawn", "1901", ""), row("Dawn", "1902", "A. Berg")]
    assert shown(*rows, columns=3) == [["Dawn", "1901; 1902", "Ada Berg"]]


def test_of_values_that_agree_the_longer_is_kept_with_the_passages_of_both() -> None:
    [item] = merge_rows([row("Dawn", "2021", by="a"), row("Dawn", "1 March 2021", by="b")], 2)
    assert item.cells[1] == {"1 March 2021": ["a", "b"]}
    assert shown(row("Dawn", "5"), row("Dawn", "5.2"), row("Dawn", "15")) == [
        ["Dawn", "5; 5.2; 15"]
    ]


def test_two_ways_to_write_a_name_are_one_item_if_another_column_agrees() -> None:
    names = ("J. Smith", "John Smith", "John H. Smith")
    assert len(shown(*(row(name, "Kiel") for name in names))) == 1
    assert len(shown(*map(row, names), columns=1)) == 3
    assert len(shown(row("J. Smith", "Kiel"), row("John Smith", ""))) == 2
    assert len(shown(row("J. Smith", "Kiel"), row("John Smith", "Bonn"))) == 2


def test_names_of_the_same_letters_or_code_are_one_item() -> None:
    assert shown(row("C-7"), row("Contract C-7"), columns=1) == [["Contract C-7"]]
    assert len(shown(row("Side-Band"), row("The side band"), columns=1)) == 1
    assert len(shown(row("C-7"), row("C-70"), row("C-71 Brandt"), columns=1)) == 3
    assert len(shown(row("C-7", "Kiel"), row("Contract C-7", "Bonn"))) == 2


def test_a_name_that_fits_two_others_is_no_bridge_between_them() -> None:
    rows = [row(name, "Kiel") for name in ("John Smith", "J. Smith", "James Smith")]
    assert len(shown(*rows)) == 3


def test_the_very_same_name_is_one_item_whatever_the_columns_say() -> None:
    assert shown(row("John Smith", "Kiel"), row("John Smith", "Bonn")) == [
        ["John Smith", "Kiel; Bonn"]
    ]


def test_rows_are_in_the_order_of_the_numbers_in_their_names() -> None:
    assert shown(row("C-10"), row("C-9"), row("b"), columns=1) == [["b"], ["C-9"], ["C-10"]]


def test_a_row_with_too_few_or_too_many_cells_fits_the_columns() -> None:
    assert shown(row("Dawn"), row("Dusk", "1", "2")) == [["Dawn", ""], ["Dusk", "1"]]


def test_a_marker_stands_behind_the_last_cell_of_its_passage() -> None:
    item = Item([{"Dawn": ["a", "b"]}, {"1901": ["a"]}, {"Ada": ["b"], "Ida": ["c"]}])
    table = as_markdown(["Ship", "Year", "By"], [item], lambda _, name: f"[{name}]")
    assert table.splitlines()[2] == "| Dawn | 1901 [a] | Ada [b]; Ida [c] |"


NAMES = st.sampled_from(
    ["J. Smith", "John Smith", "James Smith", "Smith", "C-7", "C-7 Brandt", "C-8", "NHL", "Ödön"]
)
ROWS = st.lists(
    st.builds(
        lambda name, value, passage: row(name, value, by=passage),
        NAMES,
        st.sampled_from(["", "Kiel", "Bonn", "1901"]),
        st.sampled_from("abc"),
    ),
    max_size=12,
)


def items(rows: list[FoundRow]) -> set[frozenset[str]]:
    """The passages of each item, with the letters of its name."""
    return {frozenset([item.name, *item.passages]) for item in merge_rows(rows, 2)}


@given(ROWS)
def test_merging_loses_no_passage_and_never_makes_more_items(rows: list[FoundRow]) -> None:
    merged = merge_rows(rows, 2)
    names = {row["cells"][0] for row in rows}
    assert len(merged) <= len(names)
    assert bool(merged) is bool(rows)
    passages = {name for row in rows for name in row["passages"] if name}
    assert {name for item in merged for name in item.passages} == passages
    assert [natural_order(item.name) for item in merged] == sorted(
        natural_order(item.name) for item in merged
    )


@given(ROWS, st.randoms())
def test_the_order_of_the_rows_does_not_change_the_items(
    rows: list[FoundRow], random: object
) -> None:
    other = [*rows]
    random.shuffle(other)  # type: ignore[attr-defined]
    assert len(merge_rows(other, 2)) == len(merge_rows(rows, 2))
    assert items(other + rows) == items(rows + rows)
