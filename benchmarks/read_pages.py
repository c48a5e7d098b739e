"""How much of the page with the evidence a model reads, by the tokens that it reads. No chat model.

    python benchmarks/read_pages.py DATA financebench=INDEX mmlongbench_doc=INDEX

Each INDEX is of the folder `pdf` of a set, with `--with dense,sparse`. For each question whose
evidence has pages: is some of such a page read (`some`), which share of it (`share`), is it at
least 80 % (`most`)? The figures are for questions whose id ends with an odd number (without
a number, their place counts), on which values are chosen, and for the others. Writes
`benchmarks/results/read_pages.json`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import accumulate, compress
from pathlib import Path
from statistics import fmean
from typing import Any, Final
from unittest.mock import patch

from searches import is_odd, measure_each, read_questions, spread

from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.searches import segments
from hopyard.nodes import reading
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.sources import read_context
from hopyard.state.text.tokens import tokens_of

RESULTS: Final = Path(__file__).parent / "results" / "read_pages.json"
TOKENS: Final = (1250, 1500, 2000, 2500, 3000, 4000)
MOST: Final = 0.8
DSRAG: Final = {"PENALTY": 0.18, "LEAST": 0.1, "decay": 30.0}


def arms() -> dict[str, dict[str, Any]]:
    """The ways to read: settings, and constants that replace those of the package."""
    found: dict[str, dict[str, Any]] = {}
    for tokens in TOKENS:
        found[f"{tokens} tokens"] = {"tokens": tokens}
        found[f"{tokens} tokens, k=3"] = {"tokens": tokens, "k": 3}
        found[f"{tokens} tokens, half found"] = {"tokens": tokens, "found": 0.5}
        found[f"{tokens} tokens, passages"] = {"tokens": tokens, "k": 60, "cut": True}
        found[f"{tokens} tokens, segments"] = {"tokens": tokens, "k": 20, "cut": True, "runs": True}
        found[f"{tokens} tokens, pages"] = {"tokens": tokens, "k": 3, "found": 0.0}
    for least in (0.0, 0.6, 0.8):
        found[f"4000 tokens, matching {least}"] = {"tokens": 4000, "least": least}
    for k in (10, 20):
        found[f"{k} passages"] = {"k": k}
        found[f"{k} passages in segments"] = {"k": k, "runs": True}
    found["20 passages in segments, dsRAG"] = {"k": 20, "runs": True, "dsrag": True}
    return found


async def read(run: Run, question: str, arm: Mapping[str, Any]) -> list[Passage]:
    """The passages that the model reads."""
    with ExitStack() as stack:
        if "found" in arm:
            stack.enter_context(patch.object(reading, "_OF_FOUND", arm["found"]))
        if "least" in arm:
            stack.enter_context(patch.object(reading, "_LEAST", arm["least"]))
        if "dsrag" in arm:
            _as_dsrag(stack)
        units = (await reading.find_to_read(run, question)).evidence
    passages = await run.passages(passage_ids(units))
    if "cut" in arm:
        used = accumulate(tokens_of(passage.text) for passage in passages)
        passages = passages[: max(1, sum(tokens <= arm["tokens"] for tokens in used))]
    return passages


def _as_dsrag(stack: ExitStack) -> None:
    def value(rank: int, _: int) -> float:
        return math.exp(-rank / DSRAG["decay"]) - DSRAG["PENALTY"]

    best = partial(segments.best_segments, absent=-DSRAG["PENALTY"])
    stack.enter_context(patch.object(segments, "PENALTY", DSRAG["PENALTY"]))
    stack.enter_context(patch.object(segments, "passage_value", value))
    stack.enter_context(patch.object(segments, "best_segments", best))
    stack.enter_context(patch.object(segments, "LEAST", DSRAG["LEAST"]))


def share_of_page(passages: Sequence[Passage], page: Mapping[str, Mapping[str, int]]) -> float:
    """The largest share of a page with the evidence that is read, 0 to 1."""
    names = {passage.id for passage in passages}
    return max(
        sum(tokens for name, tokens in own.items() if name in names) / sum(own.values())
        for own in page.values()
    )


def pages_of(question: Mapping[str, Any], passages: Sequence[Passage]) -> dict[str, dict[str, int]]:
    """The tokens of the passages on each page with the evidence of a question."""
    wanted: dict[str, dict[str, int]] = {str(page): {} for page in question["pages"]}
    for passage in passages:
        if passage.pages and passage.source.endswith(question["document"]):
            for page in wanted.keys() & {*spread(passage.pages)}:
                wanted[page][passage.id] = tokens_of(passage.text)
    return {page: own for page, own in wanted.items() if own}


async def measure(data: Path, name: str, index: Path, resources: Resources) -> dict[str, Any]:
    """The figures of every way to read, on both parts of a set."""
    base = read_context({"index": str(index), "model": "openai:gpt-4.1"})
    opened = await Run("read-pages", base, resources).index()
    held = [*opened.corpus.passages()]
    asked = [
        (place, row, page)
        for place, row in enumerate(read_questions(data / name))
        if (page := pages_of(row, held))
    ]
    odd = [is_odd(place, row["id"]) for place, row, _ in asked]
    found: dict[str, Any] = {"odd questions": sum(odd), "even questions": len(odd) - sum(odd)}
    for arm, changes in arms().items():
        method = "segments" if "runs" in changes else "hybrid"
        tokens = 0 if "cut" in changes else changes.get("tokens", 0)
        retrieval = {"method": method, "k": changes.get("k", 5), "tokens": tokens}
        run = Run(
            "read-pages", read_context({**base.model_dump(), "retrieval": retrieval}), resources
        )
        shares, lengths = [], []
        for _, row, page in asked:
            passages = await read(run, row["question"], changes)
            shares.append(share_of_page(passages, page))
            lengths.append(sum(tokens_of(passage.text) for passage in passages))
        found[arm] = {
            half: {
                "some": round(fmean(share > 0 for share in compress(shares, chosen)), 3),
                "share": round(fmean(compress(shares, chosen)), 3),
                "most": round(fmean(share >= MOST for share in compress(shares, chosen)), 3),
                "tokens": round(fmean(compress(lengths, chosen))),
            }
            for half, chosen in (("odd", odd), ("even", [not each for each in odd]))
        }
        print(name, arm, found[arm], flush=True)
    return found


if __name__ == "__main__":
    measure_each(RESULTS, measure)
