"""Pages found when the search `expand` first asks a chat model what to look for.

    python benchmarks/expand.py DATA MODEL NAME=INDEX …

DATA has a folder of each set, and INDEX is an index of the set's files. Counts the questions for
which a page with the evidence is among the first pages, with `hybrid` and with `expand`: all
questions, and those whose id ends with an odd and an even number. `hybrid` is `sparse` in an index
without vectors. Writes `benchmarks/results/expand.json`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Final

from searches import DEPTHS, PASSAGES, halves, is_odd, read_questions, share

from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.sources import read_context

RESULTS: Final = Path(__file__).parent / "results" / "expand.json"
METHODS: Final = ("hybrid", "expand")


async def pages_found(run: Run, question: dict[str, Any], method: str) -> list[float]:
    """Whether a page with the evidence is among the first pages."""
    found = await run.try_find(question["question"], k=PASSAGES, method=method)
    if found.problems:
        raise SystemExit(found.reason)
    passages = await run.passages(passage_ids(found.evidence))
    return [share(question, passages, depth) for depth in DEPTHS]


async def measure(run: Run, questions: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of a set by method."""
    values = {}
    for method in METHODS:
        found = await asyncio.gather(*(pages_found(run, row, method) for row in questions))
        values[method] = {
            depth: [row[place] for row in found] for place, depth in enumerate(DEPTHS)
        }
    odd = [is_odd(place, row["id"]) for place, row in enumerate(questions)]
    index = await run.index()
    return {
        "model": run.settings.model,
        "questions": len(questions),
        "kinds": index.manifest.kinds,
        **dict(halves(values, odd)),
    }


async def main() -> None:
    """Measure and write."""
    data, model, *named = sys.argv[1:]
    result = {}
    with Resources() as resources:
        for name, _, index in (each.partition("=") for each in named):
            run = Run("expand", read_context({"index": index, "model": model}), resources)
            result[name] = await measure(run, read_questions(Path(data) / name))
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    asyncio.run(main())
