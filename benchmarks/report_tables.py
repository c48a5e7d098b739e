"""Write twenty questions over the tables of annual reports, with answers computed from the rows.

    python benchmarks/report_tables.py DATA FOLDER
    hopyard index build DATA/financebench/pdf --out INDEX --with dense,sparse,tables
    python benchmarks/tables.py ask FOLDER INDEX --model openai:gpt-5 --strategy table
    python benchmarks/report_tables.py DATA FOLDER INDEX

DATA has the folder `financebench`. The rows are lines of PDFium's text, so Hopyard's reader of
tables does not take part in the answers. FOLDER gets `questions.jsonl`.
With INDEX, the places of each statement among the tables that `table` would choose go into
`benchmarks/results/table_reports.json`.
"""

# ruff: noqa: E501

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pypdfium2
from searches import spread

from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.nodes.table import steps
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.sources import read_context

RESULTS: Final = Path(__file__).parent / "results" / "table_reports.json"
LOOKED_AT: Final = 60
"""Tables that are ranked at most."""

_NUMBER: Final = re.compile(r"\(?\d[\d,]*(?:\.\d+)?\)?")
Rows = Callable[[str], list[Decimal]]
"""Gives the numbers of the first row with a label, from left to right."""


def rows_of(path: Path, page: int) -> Rows:
    """The rows of a page, counted from 1."""
    with pypdfium2.PdfDocument(path) as pdf:
        text = pdf[page - 1].get_textpage().get_text_bounded()
    lines = [" ".join(line.split()) for line in text.splitlines()]

    def row(label: str) -> list[Decimal]:
        line = next(line for line in lines if line.startswith(label))
        found = _NUMBER.findall(re.sub(r"\(Notes? [^)]*\)", "", line.removeprefix(label)))
        signed = (("-" if text.startswith("(") else "") + text.strip("()") for text in found)
        return [Decimal(text.replace(",", "")) for text in signed]

    return row


def mean(values: list[Decimal]) -> Decimal:
    """The mean, with two decimals."""
    return round(sum(values, Decimal(0)) / len(values), 2)


QUESTIONS: Final[tuple[tuple[str, int, str, Callable[[Rows], list[Any]]], ...]] = (
    (
        "3M_2018_10K",
        60,
        "What was the depreciation and amortization of 3M in 2016, 2017 and 2018 "
        "together, in millions?",
        lambda row: [sum(row("Depreciation and amortization"))],
    ),
    (
        "3M_2018_10K",
        60,
        "What was the mean net cash that 3M's operating activities provided in the "
        "years 2016 to 2018, in millions?",
        lambda row: [mean(row("Net cash provided by (used in) operating activities"))],
    ),
    (
        "3M_2022_10K",
        48,
        "In which of the years 2020, 2021 and 2022 were 3M's research, development "
        "and related expenses the highest, and how high were they, in millions?",
        lambda row: _highest(row("Research, development"), 2022),
    ),
    (
        "3M_2022_10K",
        48,
        "By how much did 3M's net sales grow from 2020 to 2022, in millions?",
        lambda row: [_growth(row("Net sales"))],
    ),
    (
        "3M_2022_10K",
        52,
        "What was 3M's stock-based compensation expense in 2020, 2021 and 2022 "
        "together, in millions?",
        lambda row: [sum(row("Stock-based compensation expense"))],
    ),
    (
        "AMERICANEXPRESS_2022_10K",
        96,
        "How much did American Express earn by net card fees in 2020, "
        "2021 and 2022 together, in millions?",
        lambda row: [sum(row("Net card fees"))],
    ),
    (
        "AMERICANEXPRESS_2022_10K",
        96,
        "Which was the largest of American Express's expenses in 2022: "
        "Card Member rewards, business development, Card Member services, marketing, or salaries and "
        "employee benefits? How much was it, in millions?",
        lambda row: _largest(
            row,
            "Card Member rewards",
            "Business development",
            "Card Member services",
            "Marketing",
            "Salaries and employee benefits",
        ),
    ),
    (
        "AMERICANEXPRESS_2022_10K",
        96,
        "By how much did the discount revenue of American Express grow "
        "from 2020 to 2022, in millions?",
        lambda row: [_growth(row("Discount revenue"))],
    ),
    (
        "BESTBUY_2017_10K",
        56,
        "What was Best Buy's gross profit of the fiscal years 2015, 2016 and "
        "2017 together, in millions?",
        lambda row: [sum(row("Gross profit"))],
    ),
    (
        "BESTBUY_2017_10K",
        56,
        "What was Best Buy's lowest operating income in the fiscal years 2015, "
        "2016 and 2017, in millions?",
        lambda row: [min(row("Operating income"))],
    ),
    (
        "BESTBUY_2019_10K",
        55,
        "What was Best Buy's mean stock-based compensation in the fiscal years "
        "2017, 2018 and 2019, in millions?",
        lambda row: [mean(row("Stock-based compensation"))],
    ),
    (
        "BESTBUY_2023_10K",
        39,
        "What were Best Buy's receivables and merchandise inventories at "
        "January 28, 2023 together, in millions?",
        lambda row: [row("Receivables, net")[0] + row("Merchandise inventories")[0]],
    ),
    (
        "BESTBUY_2023_10K",
        39,
        "By how much did Best Buy's merchandise inventories fall from January "
        "29, 2022 to January 28, 2023, in millions?",
        lambda row: [-_growth(row("Merchandise inventories"))],
    ),
    (
        "BESTBUY_2023_10K",
        42,
        "How much income tax did Best Buy pay in the fiscal years 2021, 2022 "
        "and 2023 together, in millions?",
        lambda row: [sum(row("Income taxes paid"))],
    ),
    (
        "CORNING_2022_10K",
        58,
        "What were Corning's net sales in 2020, 2021 and 2022 together, in millions?",
        lambda row: [sum(row("Net sales"))],
    ),
    (
        "CORNING_2022_10K",
        60,
        "What were Corning's goodwill and its other intangible assets at the "
        "end of 2022 together, in millions?",
        lambda row: [row("Goodwill, net")[0] + row("Other intangible assets, net")[0]],
    ),
    (
        "CORNING_2020_10K",
        73,
        "In how many of the years 2018, 2019 and 2020 was Corning's "
        "depreciation more than 1,300 million dollars?",
        lambda row: [sum(value > 1300 for value in row("Depreciation"))],
    ),
    (
        "JOHNSON_JOHNSON_2022_10K",
        47,
        "What was Johnson & Johnson's research and development expense "
        "in 2020, 2021 and 2022 together, in millions?",
        lambda row: [sum(row("Research and development expense"))],
    ),
    (
        "MGMRESORTS_2020_10K",
        65,
        "What were the revenues of MGM Resorts from casino and rooms in 2019 "
        "together, in thousands?",
        lambda row: [row("Casino")[1] + row("Rooms")[1]],
    ),
    (
        "MGMRESORTS_2022_10K",
        60,
        "What was the mean revenue of MGM Resorts from food and beverage in "
        "the years 2020 to 2022, in thousands?",
        lambda row: [mean(row("Food and beverage"))],
    ),
)
"""The report, the page of the statement, the question, and how its answer is computed."""


def _growth(values: list[Decimal]) -> Decimal:
    return values[0] - values[-1]


def _highest(values: list[Decimal], first: int) -> list[Any]:
    best = max(values)
    return [first - values.index(best), best]


def _largest(row: Rows, *labels: str) -> list[Any]:
    best = max(labels, key=lambda label: row(label)[0])
    return [best, row(best)[0]]


async def places(index: str) -> dict[str, list[int]]:
    """The places of the tables on a question's page among those that match it, from 1."""
    steps.MOST_TABLES = LOOKED_AT
    found: dict[str, list[int]] = {}
    with Resources() as resources:
        run = Run("report-tables", read_context({"index": index}), resources)
        tables, held = await steps._tables(run), [*(await run.index()).corpus.passages()]
        for number, (name, page, question, _) in enumerate(QUESTIONS, 1):
            units = (await run.try_find(question, k=20, step="tables")).evidence
            chosen = steps._choose(tables, question, passage_ids(units))
            on_page = [
                each.id
                for each in held
                if each.source.endswith(f"{name}.pdf") and str(page) in spread(each.pages or "0")
            ]
            right = {table.id for table in tables.holding(on_page)}
            ranked = enumerate(chosen, 1)
            found[f"reports-{number:02}"] = [place for place, each in ranked if each.id in right]
    return found


def main() -> None:
    """Write the questions, or the places."""
    data, folder = map(Path, sys.argv[1:3])
    if sys.argv[3:]:
        results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
        results["places of the statement"] = asyncio.run(places(sys.argv[3]))
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "questions.jsonl").open("w", encoding="utf-8") as file:
        for number, (name, page, question, answer) in enumerate(QUESTIONS, 1):
            row = rows_of(data / "financebench" / "pdf" / f"{name}.pdf", page)
            line = {"id": f"reports-{number:02}", "question": question}
            file.write(json.dumps({**line, "answer": list(map(str, answer(row)))}) + "\n")


if __name__ == "__main__":
    main()
