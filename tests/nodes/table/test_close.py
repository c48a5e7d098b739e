"""The sentence of an answer, and answers without one."""

from __future__ import annotations

import pytest

from hopyard.nodes.table.close import as_written, result_text
from hopyard.state.table import Asked, Outcome

ROWS = [["2025-002", "980.00", "1983.10"], ["2025-004", "1003.10", "1983.10"]]


def text(sentence: str, *, more: bool = False) -> str:
    columns = ["invoice", "net", "total"]
    outcome = Outcome(error="", columns=columns, rows=ROWS, more=more, sources=[])
    asked = Asked(sql="SELECT 1", sentence=sentence, knows=False)
    return result_text("Which invoices are open?", asked, outcome, 1, "auto")


def test_a_value_that_all_rows_share_is_filled_in() -> None:
    answer = text("The open invoices, {total} EUR together:")
    assert answer.startswith("The open invoices, 1983.10 EUR together [1]\n\n| invoice |")


def test_a_sentence_with_a_value_of_one_row_is_left_out() -> None:
    answer = text("Invoice {invoice} is open.")
    assert answer.startswith("| invoice | net | total |")
    assert "| 1983.10 |\n\n[1]\n\n```sql" in answer


def test_rows_that_are_not_shown_may_have_other_values() -> None:
    assert "1983.10 EUR" not in text("Open: {total} EUR", more=True)


@pytest.mark.parametrize(
    ("marks", "shown"),
    [((",", "."), ["1,720", "12,500"]), ((".", ","), ["1.720", "12.500"])],
)
def test_whole_numbers_have_marks_if_their_rows_have(
    marks: tuple[str, str], shown: list[str]
) -> None:
    rows = [["Ulm", "1720", "2025"], ["Bonn", "12500", "2024"]]
    outcome = Outcome(error="", columns=["a", "b", "c"], rows=rows, more=False, sources=[])
    texts = ["| Ulm | 1,720 | 2025 | 0,172.5 |", "| Bonn | 12.500 | 2024 | 2.024 | 2.025,50 |"]
    assert as_written(outcome, texts, marks)["rows"] == [
        ["Ulm", shown[0], "2025"],
        ["Bonn", shown[1], "2024"],
    ]
    unsure = as_written(outcome, texts, ("", "."))["rows"]
    assert [row[1] for row in unsure] == ["1,720", "12.500"]
