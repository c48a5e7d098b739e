"""The index kind `tables` and the strategy `table` keep the contracts that plug-ins inherit."""

from __future__ import annotations

from typing import ClassVar

from hopyard.indexes.corpus.records import Document
from hopyard.indexes.kind import KINDS
from hopyard.state.strategy import STRATEGIES
from hopyard.testing import IndexKindContract, StrategyContract

GATES = Document(
    "gates.csv",
    "Trucks at the gates",
    """| Gate | Day | Trucks | Fee |
|---|---|---|---|
| North | 2024-03-01 | 12 | € 1.10 |
| South | 2024-03-01 | 38 | € 2.20 |
| North | 2024-03-02 | 40 | € 3.30 |
""",
    markup="markdown",
)
RATES = Document(
    "rates",
    "Rates",
    "Each gate has a rate.\n\n| Gate | Rate |\n|---|---|\n| North | 5 % |\n| South | 7.5 % |\n",
    markup="markdown",
)


class TestTables(IndexKindContract):
    kind = KINDS["tables"]
    documents: ClassVar = (*IndexKindContract.documents, GATES)
    new_document: ClassVar = RATES


class TestTable(StrategyContract):
    strategy = STRATEGIES["table"]
    documents: ClassVar = (*StrategyContract.documents, GATES, RATES)
    question = "How many trucks queued at the North gate, all days together?"
    answers: ClassVar = {
        "TableQuery": {
            "thought": "The trucks of the rows of the North gate.",
            "sql": """SELECT sum("trucks") AS total FROM "trucks_at_the_gates" """
            """WHERE "gate" ILIKE 'north'""",
            "sentence": "{total} trucks queued at the North gate.",
        }
    }
    answer = (
        "52 trucks queued at the North gate. [1]\n\n```sql\nSELECT sum(\"trucks\") AS total "
        "FROM \"trucks_at_the_gates\" WHERE \"gate\" ILIKE 'north'\n```"
    )
    calls = 1
