"""The evidence of seven question sets that each search finds. No chat model.

    python benchmarks/searches.py DATA NAME=INDEX …

DATA has a folder of each set, and INDEX is an index of the set's corpus. A set whose questions name
`pages` is measured by the page: the share of the questions for which a page with the evidence is
among the first pages found. The others are measured by the document: the mean share of the
supporting documents among the first documents found. `pagerank` is measured if the index has an
entity graph. Figures are for all questions, and for those whose id ends with an odd and an even
number; without a number, the question's place counts. NAME may be a set with a label:
`multihoprag:plain` is an index that was built with `--set indexing.metadata=`. With the label
`own`, each question is asked of its own document only.
Writes `benchmarks/results/searches.json`; the figures of sets that are not named stay.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import compress
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from hopyard.measures.bootstrap import difference
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context

RESULTS: Final = Path(__file__).parent / "results" / "searches.json"
METHODS: Final = ("sparse", "dense", "hybrid", "pagerank")
PASSAGES: Final = 60
DEPTHS: Final = (5, 10, 20)

Place = tuple[str, str]
Values = dict[str, dict[int, list[float]]]
Measure = Callable[[Path, str, Path, Resources], Awaitable[dict[str, Any]]]


def read_questions(folder: Path) -> list[dict[str, Any]]:
    """The questions of a set whose evidence is known."""
    rows = map(json.loads, (folder / "questions.jsonl").read_text("utf-8").splitlines())
    return [row for row in rows if row.get("pages") or row["supporting_ids"]]


def spread(pages: str) -> list[str]:
    """The pages of "3-5"."""
    first, _, last = pages.partition("-")
    return [str(page) for page in range(int(first), int(last or first) + 1)]


def share(question: dict[str, Any], found: Sequence[Any], depth: int) -> float:
    """How much of a question's evidence is among the first pages or documents found, 0 to 1."""
    if "pages" not in question:
        wanted = set(question["supporting_ids"])
        return len(wanted & {*list(dict.fromkeys(each.document_id for each in found))[:depth]}) / (
            len(wanted)
        )
    pages = list(dict.fromkeys((each.source, each.pages) for each in found))[:depth]
    wanted = {str(page) for page in question["pages"]}
    hits = (
        wanted & {*spread(on)}
        for source, on in pages
        if on and source.endswith(question["document"])
    )
    return float(any(hits))


async def measure(data: Path, name: str, index: Path, resources: Resources) -> dict[str, Any]:
    """The figures of a set by method, and hybrid's difference to the better of its parts."""
    run = Run("searches", Context(index=str(index)), resources)
    opened = await run.index()
    questions = read_questions(data / name.partition(":")[0])
    values: Values = {}
    for method in METHODS:
        if method == "pagerank" and not opened.has("entity-graph"):
            continue
        values[method] = {depth: [] for depth in DEPTHS}
        for question in questions:
            if name.endswith(":own"):
                run = run.with_settings(where=[f"source={question['document']}"])
            units = await run.find(question["question"], k=PASSAGES, method=method)
            found = await run.passages(passage_ids(units))
            for depth in DEPTHS:
                values[method][depth].append(share(question, found, depth))
        print(name, method, round(fmean(values[method][5]), 3), flush=True)
    manifest = opened.manifest
    names = [question["id"] for question in questions]
    by_page = "pages" in questions[0]
    return {
        "unit": "page" if by_page else "document",
        "questions": len(questions),
        "passages": manifest.counts["passages"],
        "embedding": manifest.embedding,
        **dict(halves(values, [is_odd(*each) for each in enumerate(names)])),
        "hybrid_less_best_part": better(values),
    }


def is_odd(place: int, name: str) -> bool:
    """Whether a question belongs to the half on which constants are chosen."""
    number = re.search(r"\d+$", name)
    return int(number.group() if number else place) % 2 == 1


def halves(values: Values, odd: Sequence[bool]) -> Iterator[tuple[str, Any]]:
    """Means of each half of the questions, and of all."""
    parts = {"odd": odd, "even": [not each for each in odd], "all": [True] * len(odd)}
    for part, chosen in parts.items():
        yield part, {
            method: {str(depth): round(fmean(compress(each, chosen)), 3)
                     for depth, each in depths.items()}
            for method, depths in values.items()
        }  # fmt: skip


def better(values: Values) -> dict[str, Any]:
    """Hybrid at 5 against the better of dense and sparse, with the 95 % interval."""
    best = max(("dense", "sparse"), key=lambda method: fmean(values[method][5]))
    found = difference(values["hybrid"][5], values[best][5])
    return {"part": best, **{key: round(value, 3) for key, value in found._asdict().items()}}


def measure_each(results: Path, measure: Measure) -> None:
    """Measure the indexes that the command line names, beside the results of other sets."""
    data, *named = sys.argv[1:]
    found = json.loads(results.read_text("utf-8")) if results.exists() else {}

    async def measure_all() -> None:
        with Resources() as resources:
            for name, _, index in (each.partition("=") for each in named):
                found[name] = await measure(Path(data), name, Path(index), resources)

    asyncio.run(measure_all())
    results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    measure_each(RESULTS, measure)
