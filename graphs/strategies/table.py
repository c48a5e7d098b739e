"""The record of `table`."""

from __future__ import annotations

from typing import Final

from hopyard.state.schemas import RouteLabel
from hopyard.state.strategy import Strategy

__all__ = ("STRATEGY",)

STRATEGY: Final = Strategy(
    name="table",
    about=(
        "One query in SQL over the tables of the documents: for sums, counts, averages, extremes, "
        "sorted lists and joins over the rows of spreadsheets and other tables, where all rows "
        "have to be read. The index needs tables."
    ),
    graph="hopyard.graphs.table:graph",
    needs=("tables",),
    route=RouteLabel(
        "it asks for a sum, a count, an average, an extreme or a comparison over rows of tables",
        examples=("What did the orders of March cost together?",),
    ),
    beside=("capable",),
    stronger=("chain", "single"),
    profiles=("small", "capable"),
    rank=25,
    calls=1,
    label="SQL over tables",
)
