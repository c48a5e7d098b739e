"""Questions over whole tables, with answers computed from the cells: `table` beside `chain`.

    python benchmarks/tables.py write samples           # papers/ and questions.jsonl
    hopyard index build samples/papers --out tables-index --with dense,sparse,tables
    python benchmarks/tables.py ask samples tables-index --model openai:gpt-5 --strategy table

`--strategy chain --step 2` asks `chain` every second question.

The papers are invented. An answer is right if it has every value of the computed answer: texts as
they are, numbers with all their digits or rounded to two decimals. Needs `pip install python-docx`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final, NamedTuple

from table_questions import QUESTIONS

OFFICE: Final = Path(__file__).parents[1] / "examples" / "office"
sys.path.insert(0, str(OFFICE))
import content  # noqa: E402
import make  # noqa: E402

SEED: Final = 38
GATES: Final = ("North", "South", "East", "West")
MONTHS: Final = (("January", 1, 31), ("February", 2, 28), ("March", 3, 31))
_NUMBER: Final = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?")
_CODE: Final = re.compile(r"```.*?(?:```|$)", re.DOTALL)


class Gate(NamedTuple):
    """A row of harbour.xlsx."""

    day: date
    gate: str
    trucks: int
    wait: int
    fee: Decimal


class Order(NamedTuple):
    """A row of auftraege.csv."""

    number: str
    customer: str
    day: date
    amount: Decimal
    discount: Decimal
    status: str


class Customer(NamedTuple):
    """A row of customers.xlsx."""

    number: str
    name: str
    country: str
    segment: str
    limit: int


class Worker(NamedTuple):
    """A row of the table in payroll.docx."""

    name: str
    department: str
    hours: Decimal
    rate: Decimal


class Station(NamedTuple):
    """A row of stations.html; None where the cell has a dash."""

    name: str
    height: int
    rain: tuple[Decimal | None, ...]


class Reading(NamedTuple):
    """A row of cold-store.tsv."""

    day: date
    clock: str
    room: str
    celsius: Decimal
    humidity: int


class Papers(NamedTuple):
    """The cells of all papers."""

    gates: list[Gate]
    orders: list[Order]
    customers: list[Customer]
    workers: list[Worker]
    stations: list[Station]
    readings: list[Reading]
    teas: list[tuple[str, str, str, int]]


def papers() -> Papers:
    """The same cells each time."""
    rng = random.Random(SEED)
    gates = [
        Gate(
            date(2025, month, day),
            gate,
            40 if rng.random() < 0.02 else rng.randint(3, 38),
            rng.randint(2, 95),
            Decimal(rng.randint(5000, 250000)) / 100,
        )
        for _, month, days in MONTHS
        for day in range(1, days + 1)
        for gate in GATES
    ]
    names = [
        f"{a} {b}"
        for a in ("Brook", "Anker", "Hafen", "Linden", "Weser", "Solent")
        for b in ("Foods", "Logistik", "Trading", "Marine", "Paper")
    ]
    customers = [
        Customer(
            f"{1001 + place:05}",
            name,
            rng.choice(("Germany", "Denmark", "Poland", "Norway")),
            rng.choice(("retail", "wholesale", "public")),
            rng.randint(5, 200) * 500,
        )
        for place, name in enumerate(names)
    ]
    orders = [
        Order(
            f"A-{7000 + place}",
            rng.choice(customers).number,
            date(2025, 1, 1) + timedelta(rng.randint(0, 180)),
            Decimal(rng.randint(900, 1999999)) / 100,
            Decimal(rng.choice((0, 25, 50, 75, 100))) / 10,
            rng.choice(("offen", "bezahlt", "bezahlt", "storniert")),
        )
        for place in range(400)
    ]
    given, family = (
        ("Ada", "Bo", "Cleo", "Dov", "Eli", "Fay", "Gus", "Hal"),
        ("Alder", "Birch", "Cedar", "Doyle", "Elm"),
    )
    workers = [
        Worker(
            f"{a} {b}",
            rng.choice(("Cranes", "Office", "Rail", "Security")),
            Decimal(rng.randint(240, 700)) / 4,
            Decimal(rng.randint(1450, 3900)) / 100,
        )
        for a in given
        for b in family
    ]
    stations = [
        Station(
            f"Station {chr(65 + place)}",
            rng.randint(2, 1900),
            tuple(
                None if rng.random() < 0.06 else Decimal(rng.randint(0, 18999)) / 10
                for _ in range(4)
            ),
        )
        for place in range(26)
    ]
    readings = [
        Reading(
            date(2025, 5, 1) + timedelta(day),
            f"{hour:02}:30",
            room,
            Decimal(rng.randint(-255, 92)) / 10,
            rng.randint(28, 97),
        )
        for day in range(30)
        for hour in (0, 6, 12, 18)
        for room in ("A1", "A2", "B1")
    ]
    teas = [(sku, tea, origin, int(stock)) for sku, tea, origin, stock in content.TEAS[1:]]
    return Papers(gates, orders, customers, workers, stations, readings, teas)


def write(folder: Path) -> None:
    """Write the papers and the questions."""
    from docx import Document
    from openpyxl import Workbook

    questions, folder = folder / "questions.jsonl", folder / "papers"
    folder.mkdir(parents=True, exist_ok=True)
    made = papers()
    book = Workbook()
    for month, number, _ in MONTHS:
        sheet = book.create_sheet(month)
        sheet.append([f"Trucks at the gates of the harbour, {month} 2025"])
        sheet.append([])
        sheet.append(["Date", "Gate", "Trucks queued", "Longest wait (min)", "Fees"])
        rows = [row for row in made.gates if row.day.month == number]
        for row in rows:
            sheet.append([row.day, row.gate, row.trucks, row.wait, row.fee])
        sheet.append(["Total", None, sum(r.trucks for r in rows), None, sum(r.fee for r in rows)])
        for cells in sheet.iter_rows(min_row=4, min_col=5, max_col=5):
            cells[0].number_format = '#,##0.00 "€"'
    book.remove(book.worksheets[0])
    book.save(folder / "harbour.xlsx")
    (folder / "stock.xlsx").write_bytes(make.xlsx())
    lines = ["Auftrag;Kundennummer;Datum;Betrag (€);Rabatt;Status"]
    for order in made.orders:
        amount = f"{order.amount:,.2f}".translate(str.maketrans(",.", ".,"))
        discount = f"{order.discount:.1f} %".replace(".", ",")
        lines.append(
            f"{order.number};{order.customer};{order.day:%d.%m.%Y};{amount};{discount};{order.status}"
        )
    (folder / "auftraege.csv").write_text("\n".join(lines), encoding="utf-8")
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Customers"
    sheet.append(["Customer number", "Name", "Country", "Segment", "Credit limit (EUR)"])
    for customer in made.customers:
        sheet.append(list(customer))
    for cells in sheet.iter_rows(min_row=2, min_col=5, max_col=5):
        cells[0].number_format = "#,##0"
    book.save(folder / "customers.xlsx")
    document = Document()
    document.add_heading("Payroll of May 2025", 1)
    document.add_paragraph("Hours and hourly rates of all staff.")
    table = document.add_table(rows=1, cols=4)
    for cell, text in zip(
        table.rows[0].cells, ("Name", "Department", "Hours", "Rate"), strict=True
    ):
        cell.text = text
    for worker in made.workers:
        cells = table.add_row().cells
        for cell, text in zip(
            cells,
            (worker.name, worker.department, str(worker.hours), f"€ {worker.rate:.2f}"),
            strict=True,
        ):
            cell.text = text
    document.save(str(folder / "payroll.docx"))
    head = "".join(f"<th>{name}</th>" for name in ("January", "February", "March", "April"))
    body = "".join(
        f"<tr><td>{s.name}</td><td>{s.height:,}</td>"
        + "".join(f"<td>{'—' if value is None else f'{value:,.1f}'}</td>" for value in s.rain)
        + "</tr>"
        for s in made.stations
    )
    (folder / "stations.html").write_text(
        "<html><head><title>Rainfall</title></head><body><h1>Rainfall 2025</h1>"
        "<p>All weather stations.</p>"
        '<table><thead><tr><th rowspan="2">Station</th><th rowspan="2">Height (m)</th>'
        f'<th colspan="4">Rainfall (mm)</th></tr><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
        "</body></html>",
        encoding="utf-8",
    )
    rows = ["Day\tTime\tRoom\tTemperature (°C)\tHumidity"]
    rows += [
        f"{r.day:%d %B %Y}\t{r.clock}\t{r.room}\t{str(r.celsius).replace('-', '−')}\t{r.humidity} %"
        for r in made.readings
    ]
    (folder / "cold-store.tsv").write_text("\n".join(rows), encoding="utf-8")
    asked = [
        {"id": f"tables-{number:02}", "question": question, "answer": list(map(str, answer(made)))}
        for number, (question, answer) in enumerate(QUESTIONS, 1)
    ]
    questions.write_text(
        "".join(f"{json.dumps(q, ensure_ascii=False)}\n" for q in asked), encoding="utf-8"
    )


def is_right(answer: str, values: Sequence[str]) -> bool:
    """Whether an answer has every value: a text, or a number with two decimals at least."""
    text = _CODE.sub("", answer)
    plain = text.replace("\u202f", "").replace("\u00a0", "").replace("−", "-")
    numbers = {Decimal(found.replace(",", "")) for found in _NUMBER.findall(plain)}
    numbers |= {
        Decimal(found.replace(".", "").replace(",", "."))
        for found in re.findall(
            r"(?<![\w.])-?\d{1,3}(?:\.\d{3})*,\d{1,2}(?!\d)|(?<![\w.])-?\d+,\d{1,2}(?!\d)", plain
        )
    }
    return all(_has(value, plain.casefold(), numbers) for value in values)


def _has(value: str, text: str, numbers: Iterable[Decimal]) -> bool:
    try:
        wanted = Decimal(value)
    except ArithmeticError:
        return re.search(rf"(?<!\w){re.escape(value.casefold())}(?!\w)", text) is not None
    close = Decimal("0.0051") if wanted != wanted.to_integral_value() else Decimal(0)
    return any(abs(number - wanted) <= close for number in numbers)


async def ask(options: argparse.Namespace) -> None:
    """Ask, and print what was wrong."""
    from hopyard.evaluation.ask import ask as record_of
    from hopyard.evaluation.variants import Variant
    from hopyard.measures.questions import Question
    from hopyard.nodes.resources import Resources
    from hopyard.state.settings.sources import read_context

    lines = (options.folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line) for line in lines][:: options.step][: options.most]
    given = {"index": str(options.index), "model": options.model, "answer": {"check": "rules"}}
    waits = {"timeout": 20000.0, "concurrency": 100} if options.wait else {}
    context, variant = read_context({**given, **waits}), Variant(options.strategy, options.strategy)
    with Resources() as resources:
        questions = [Question(id=item["id"], question=item["question"]) for item in asked]
        results = await asyncio.gather(
            *(
                record_of(each, variant, context, f"{options.strategy}/{each.id}", resources)
                for each in questions
            )
        )
    wrong, costs = [], [record.cost for record, _ in results]
    for item, (record, _) in zip(asked, results, strict=True):
        if not is_right(record.answer, item["answer"]):
            wrong.append({**item, "given": record.answer})
    said = {
        "questions": len(asked),
        "right": len(asked) - len(wrong),
        "calls": sum(cost.model_calls for cost in costs),
        "input_tokens": sum(cost.input_tokens for cost in costs),
        "output_tokens": sum(cost.output_tokens for cost in costs),
    }
    print(json.dumps({**said, "wrong": wrong}, ensure_ascii=False, indent=1))
    if options.out:
        told = json.loads(options.out.read_text("utf-8")) if options.out.exists() else {}
        told[options.strategy] = {"model": options.model, **said, "wrong": wrong}
        text = json.dumps(told, ensure_ascii=False, indent=1)
        options.out.write_text(f"{text}\n", encoding="utf-8")


def main() -> None:
    """Write the papers, or ask."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parts = parser.add_subparsers(required=True)
    writing = parts.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.set_defaults(run=lambda options: write(options.folder))
    asking = parts.add_parser("ask")
    asking.add_argument("folder", type=Path)
    asking.add_argument("index", type=Path)
    asking.add_argument("--model", required=True)
    asking.add_argument("--strategy", required=True)
    asking.add_argument("--step", type=int, default=1, help="ask every n-th question")
    asking.add_argument("--most", type=int, help="questions at most")
    asking.add_argument("--wait", action="store_true", help="wait hours for an answer")
    asking.add_argument("--out", type=Path, help="JSON file that keeps the result")
    asking.set_defaults(run=lambda options: asyncio.run(ask(options)))
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
