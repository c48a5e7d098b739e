"""The questions of `tables.py`, each with the function that computes its answer from the cells."""

# ruff: noqa: E501

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, Final

Answer = Callable[[Any], list[Any]]


def mean(values: Iterable[Any]) -> Decimal:
    """The mean, with six decimals."""
    several = list(values)
    return round(Decimal(sum(several)) / len(several), 6)


def summed(pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """The sum of the values of each key."""
    totals: dict[Any, Any] = defaultdict(Decimal)
    for key, value in pairs:
        totals[key] += value
    return totals


def best(values: dict[Any, Any], least: bool = False) -> list[Any]:
    """The keys with the highest value, or the lowest, and this value."""
    extreme = (min if least else max)(values.values())
    return [*(key for key, value in values.items() if value == extreme), extreme]


def rain(station: Any) -> Decimal:
    """The rainfall of all months, without missing values."""
    return sum((value for value in station.rain if value is not None), Decimal(0))


def name_of(p: Any) -> dict[str, Any]:
    """Customers by number."""
    return {customer.number: customer for customer in p.customers}


QUESTIONS: Final[tuple[tuple[str, Answer], ...]] = (
    (
        "What is the highest number of trucks that queued at any gate of the harbour on one day in the first quarter of 2025?",
        lambda p: [max(g.trucks for g in p.gates)],
    ),
    (
        "At which gates of the harbour did 40 trucks queue on one day, at least once between January and March 2025?",
        lambda p: sorted({g.gate for g in p.gates if g.trucks == 40}),
    ),
    (
        "How many trucks queued at the North gate in January 2025, all days together?",
        lambda p: [sum(g.trucks for g in p.gates if g.gate == "North" and g.day.month == 1)],
    ),
    (
        "How many trucks queued at all gates of the harbour from January to March 2025 together?",
        lambda p: [sum(g.trucks for g in p.gates)],
    ),
    (
        "What were the fees at the East gate in February 2025 in total, in euros?",
        lambda p: [sum(g.fee for g in p.gates if g.gate == "East" and g.day.month == 2)],
    ),
    (
        "Which gate of the harbour took the most fees in the first quarter of 2025, and how much?",
        lambda p: best(summed((g.gate, g.fee) for g in p.gates)),
    ),
    (
        "On how many days in March 2025 was the longest wait at the South gate over 60 minutes?",
        lambda p: [sum(g.gate == "South" and g.day.month == 3 and g.wait > 60 for g in p.gates)],
    ),
    (
        "What was the mean number of trucks per day at the West gate from January to March 2025?",
        lambda p: [mean(g.trucks for g in p.gates if g.gate == "West")],
    ),
    (
        "Which month of the first quarter of 2025 had the most trucks at the harbour gates, and how many?",
        lambda p: best(
            summed(
                (("January", "February", "March")[g.day.month - 1], Decimal(g.trucks))
                for g in p.gates
            )
        ),
    ),
    (
        "What was the longest wait at any harbour gate in February 2025, in minutes?",
        lambda p: [max(g.wait for g in p.gates if g.day.month == 2)],
    ),
    (
        "How many trucks queued on 14 March 2025 at all gates together?",
        lambda p: [sum(g.trucks for g in p.gates if (g.day.month, g.day.day) == (3, 14))],
    ),
    (
        "On how many days of the first quarter of 2025 did more than 100 trucks queue at the four gates together?",
        lambda p: [sum(v > 100 for v in summed((g.day, g.trucks) for g in p.gates).values())],
    ),
    (
        "What is the lowest daily fee that a gate took in January 2025, and which gate was it?",
        lambda p: [
            min((g.fee, g.gate) for g in p.gates if g.day.month == 1)[0],
            min((g.fee, g.gate) for g in p.gates if g.day.month == 1)[1],
        ],
    ),
    (
        "By how much did the fees of March 2025 at the harbour gates differ from those of January 2025?",
        lambda p: [
            abs(
                sum(g.fee for g in p.gates if g.day.month == 3)
                - sum(g.fee for g in p.gates if g.day.month == 1)
            )
        ],
    ),
    (
        "How many trucks queued at each gate in February 2025?",
        lambda p: [
            x
            for pair in summed(
                (g.gate, Decimal(g.trucks)) for g in p.gates if g.day.month == 2
            ).items()
            for x in pair
        ],
    ),
    (
        "Wie hoch ist die Summe aller Aufträge (Betrag in €)?",
        lambda p: [sum(o.amount for o in p.orders)],
    ),
    (
        "Wie viele Aufträge sind storniert?",
        lambda p: [sum(o.status == "storniert" for o in p.orders)],
    ),
    (
        "Welcher Auftrag hat den höchsten Betrag, und wie hoch ist er?",
        lambda p: [max(p.orders, key=lambda o: o.amount).number, max(o.amount for o in p.orders)],
    ),
    (
        "Wie hoch ist der Betrag aller offenen Aufträge zusammen?",
        lambda p: [sum(o.amount for o in p.orders if o.status == "offen")],
    ),
    (
        "Wie viele Aufträge vom April 2025 gibt es?",
        lambda p: [sum(o.day.month == 4 for o in p.orders)],
    ),
    (
        "Wie hoch ist der durchschnittliche Betrag der bezahlten Aufträge?",
        lambda p: [mean(o.amount for o in p.orders if o.status == "bezahlt")],
    ),
    ("Wie viele Aufträge haben 10 % Rabatt?", lambda p: [sum(o.discount == 10 for o in p.orders)]),
    (
        "Wie hoch ist die Summe der Aufträge nach Abzug des Rabatts, ohne stornierte Aufträge?",
        lambda p: [
            sum(o.amount * (100 - o.discount) / 100 for o in p.orders if o.status != "storniert")
        ],
    ),
    (
        "In welchem Monat wurde der höchste Gesamtbetrag bestellt, und wie hoch war er?",
        lambda p: best(summed((o.day.month, o.amount) for o in p.orders))[1:],
    ),
    (
        "Wie viele Aufträge haben einen Betrag von mehr als 15.000 €?",
        lambda p: [sum(o.amount > 15000 for o in p.orders)],
    ),
    (
        "Which customer ordered the most in total (all orders), by name, and for how much?",
        lambda p: best(summed((name_of(p)[o.customer].name, o.amount) for o in p.orders)),
    ),
    (
        "What is the total amount of orders from customers in Denmark?",
        lambda p: [sum(o.amount for o in p.orders if name_of(p)[o.customer].country == "Denmark")],
    ),
    (
        "How many orders came from customers in the segment wholesale?",
        lambda p: [sum(name_of(p)[o.customer].segment == "wholesale" for o in p.orders)],
    ),
    (
        "Which country's customers have the highest total of paid orders (status bezahlt), and how much is it?",
        lambda p: best(
            summed(
                (name_of(p)[o.customer].country, o.amount)
                for o in p.orders
                if o.status == "bezahlt"
            )
        ),
    ),
    (
        "How many customers have open orders (status offen) that together exceed their credit limit?",
        lambda p: [
            sum(
                v > name_of(p)[k].limit
                for k, v in summed(
                    (o.customer, o.amount) for o in p.orders if o.status == "offen"
                ).items()
            )
        ],
    ),
    (
        "How many customers are there in Poland?",
        lambda p: [sum(c.country == "Poland" for c in p.customers)],
    ),
    (
        "What is the sum of all credit limits of the customers, in EUR?",
        lambda p: [sum(c.limit for c in p.customers)],
    ),
    (
        "What is the average credit limit of customers in the segment public?",
        lambda p: [mean(c.limit for c in p.customers if c.segment == "public")],
    ),
    (
        "Which customer has the highest credit limit?",
        lambda p: best({c.name: c.limit for c in p.customers}),
    ),
    (
        "How many customers are there in each segment?",
        lambda p: [x for pair in Counter(c.segment for c in p.customers).items() for x in pair],
    ),
    (
        "How many hours did all staff work in May 2025, according to the payroll?",
        lambda p: [sum(w.hours for w in p.workers)],
    ),
    (
        "What were the total wages (hours times rate) of the department Cranes in May 2025?",
        lambda p: [sum(w.hours * w.rate for w in p.workers if w.department == "Cranes")],
    ),
    (
        "Who has the highest hourly rate on the payroll, and what is it?",
        lambda p: best({w.name: w.rate for w in p.workers}),
    ),
    (
        "How many people work in each department, by the payroll?",
        lambda p: [x for pair in Counter(w.department for w in p.workers).items() for x in pair],
    ),
    (
        "How many people on the payroll worked more than 160 hours in May 2025?",
        lambda p: [sum(w.hours > 160 for w in p.workers)],
    ),
    (
        "Which department has the highest average hourly rate, and what is the average?",
        lambda p: best(
            {
                d: mean(w.rate for w in p.workers if w.department == d)
                for d in {w.department for w in p.workers}
            }
        ),
    ),
    (
        "Who earned the most in May 2025 (hours times rate), and how much?",
        lambda p: best({w.name: w.hours * w.rate for w in p.workers}),
    ),
    (
        "What were the total wages of all staff in May 2025?",
        lambda p: [sum(w.hours * w.rate for w in p.workers)],
    ),
    (
        "Who on the payroll worked the fewest hours, and how many?",
        lambda p: best({w.name: w.hours for w in p.workers}, least=True),
    ),
    (
        "Which weather station had the most rain from January to April 2025 together, and how much in mm?",
        lambda p: best({s.name: rain(s) for s in p.stations}),
    ),
    (
        "How many weather stations have no rainfall value for at least one month?",
        lambda p: [sum(None in s.rain for s in p.stations)],
    ),
    (
        "What is the mean rainfall of March 2025 over the stations that have a value?",
        lambda p: [mean(s.rain[2] for s in p.stations if s.rain[2] is not None)],
    ),
    (
        "How many weather stations lie above 1,000 m?",
        lambda p: [sum(s.height > 1000 for s in p.stations)],
    ),
    (
        "What is the height of the lowest weather station, and which one is it?",
        lambda p: best({s.name: s.height for s in p.stations}, least=True),
    ),
    (
        "What was the total rainfall of all stations in January 2025?",
        lambda p: [sum(s.rain[0] for s in p.stations if s.rain[0] is not None)],
    ),
    (
        "At how many weather stations did it rain more in April than in January 2025?",
        lambda p: [
            sum(
                s.rain[3] is not None and s.rain[0] is not None and s.rain[3] > s.rain[0]
                for s in p.stations
            )
        ],
    ),
    (
        "What was the lowest temperature in room B1 of the cold store in May 2025?",
        lambda p: [min(r.celsius for r in p.readings if r.room == "B1")],
    ),
    (
        "How many readings of the cold store were above 0 °C?",
        lambda p: [sum(r.celsius > 0 for r in p.readings)],
    ),
    (
        "What was the mean temperature of room A1 of the cold store at 06:30?",
        lambda p: [mean(r.celsius for r in p.readings if r.room == "A1" and r.clock == "06:30")],
    ),
    (
        "Which room of the cold store had the most readings with a humidity of 90 % or more, and how many?",
        lambda p: best(Counter(r.room for r in p.readings if r.humidity >= 90)),
    ),
    (
        "On how many days of May 2025 did any room of the cold store reach 8 °C or more?",
        lambda p: [len({r.day for r in p.readings if r.celsius >= 8})],
    ),
    (
        "What is the difference between the highest and the lowest temperature measured in the cold store?",
        lambda p: [max(r.celsius for r in p.readings) - min(r.celsius for r in p.readings)],
    ),
    (
        "How many kilograms of tea are in stock in total, by the workbook Stock?",
        lambda p: [sum(row[3] for row in p.teas)],
    ),
    (
        "Which origin has the most tea in stock, and how many kilograms?",
        lambda p: best(summed((row[2], row[3]) for row in p.teas)),
    ),
    (
        "How many sorts of tea (SKUs) have less than 50 kg in stock?",
        lambda p: [sum(row[3] < 50 for row in p.teas)],
    ),
)
