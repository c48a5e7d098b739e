"""Pages of FinanceBench found when one model call first names what to look for.

    python benchmarks/named_rows.py DATA INDEX MODEL

The model sees a question alone, and names the statement or table, the labels of its rows, and the
company, period and form. `hybrid` searches for the question, and for the question with these words.
Counts the questions with an even number for which a page with the evidence is among the first
pages. Writes `benchmarks/results/named_rows.json`. No strategy makes this call today.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from searches import DEPTHS, PASSAGES, is_odd, read_questions, share

from hopyard.models.prompt import Output, Prompt
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.sources import read_context

RESULTS: Final = Path(__file__).parent / "results" / "named_rows.json"


class Named(Output):
    """Words of the place that holds the answer to a question."""

    statement: str
    labels: list[str]
    company: str
    period: str
    form: str


PROMPT: Final = Prompt(
    name="named-rows",
    version=1,
    system=(
        "You help to search annual and quarterly reports. Without answering the question, name "
        "what to look for: the statement or table that holds the figures, the labels of its rows "
        "as reports word them, with synonyms, and the company, period and form."
    ),
    template="Question: $question",
    output=Named,
    max_tokens=2000,
)


async def pages_found(run: Run, question: dict[str, Any], text: str) -> list[float]:
    """Whether a page with the evidence is among the first pages."""
    units = await run.find(text, k=PASSAGES, method="hybrid")
    passages = await run.passages(passage_ids(units))
    return [share(question, passages, depth) for depth in DEPTHS]


async def measure_one(run: Run, question: dict[str, Any]) -> dict[str, list[float]]:
    """A question's pages, with and without the call."""
    text = question["question"]
    named = await run.call(PROMPT, {"question": text})
    rows = f"{named.statement}: {', '.join(named.labels)}."
    more = f"{text} {rows} {named.company} {named.period} {named.form}"
    return {
        "question": await pages_found(run, question, text),
        "with the words of a call": await pages_found(run, question, more),
    }


async def main() -> None:
    """Measure and write."""
    data, index, model = sys.argv[1:]
    questions = [
        row
        for place, row in enumerate(read_questions(Path(data) / "financebench"))
        if not is_odd(place, row["id"])
    ]
    with Resources() as resources:
        run = Run("named-rows", read_context({"index": index, "model": model}), resources)
        found = await asyncio.gather(*(measure_one(run, row) for row in questions))
    result: dict[str, Any] = {"model": model, "even questions": len(questions)}
    for way in found[0]:
        values = zip(*(each[way] for each in found), strict=True)
        result[way] = dict(
            zip(map(str, DEPTHS), (round(fmean(row), 3) for row in values), strict=True)
        )
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(result)


if __name__ == "__main__":
    asyncio.run(main())
