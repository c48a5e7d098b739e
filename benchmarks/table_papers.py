"""The invented papers of `tables.py`: workbooks, CSV, TSV, Word and HTML, all from one seed."""

from __future__ import annotations

import random
import sys
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Final, NamedTuple

OFFICE: Final = Path(__file__).parents[1] / "examples" / "office"
sys.path.insert(0, str(OFFICE))
import content  # noqa: E402
import make  # noqa: E402

SEED: Final = 38
GATES: Final = ("North", "South", "East", "West")
MONTHS: Final = (("January", 1, 31), ("February", 2, 28), ("March", 3, 31))


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


def write(folder: Path) -> Papers:
    """Write the papers as files, and return what is in them."""
    from docx import Document
    from openpyxl import Workbook

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
    return made
