"""What a traversal of the passage graph costs, against the paper's way of reasoning.

    python benchmarks/traversal.py --index DIR --questions QUESTIONS.jsonl --limit 20

In one run, over the same graph and questions, with the same model in the same engine:

* `hop`: this package as it comes. One call a vertex judges all its edge questions; the calls of a
  round run side by side; outputs are constrained to labels; judgements are kept. With the embedded
  model its defaults are 2 rounds and 6 edges to enter by.
* `hop, as wide`: the same with the paper's 4 rounds and 20 edges, as the two below.
* `edges`: HopRAG to the letter (Algorithm 1, the prompt of Fig. 8). One call an edge question, one
  after another, each answer a JSON object that the model writes freely.
* `vertices`: one call a vertex, one after another, that writes the chosen question out in JSON, as
  the prompt for a choice in the authors' code does. The paper's 38.53 calls a question are about
  as many as its queues have vertices, so this is the count to hold against it.

To the literal ways' advantage: none of the pauses that the authors' code makes between calls, 64
tokens an answer at most and not 2,048, and no question judged twice.

Writes `benchmarks/results/traversal.json`, and a table to standard output.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from uuid import uuid4

from traversal_literal import Cost, by_edges, by_vertices

from hopyard.graphs import hop
from hopyard.models.call import model_caller
from hopyard.models.chat import chat_provider
from hopyard.state.settings import Context, HopSettings, read_context

RESULTS: Final = Path(__file__).parent / "results" / "traversal.json"
PAPER_CALLS: Final = 38.53


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=20)
    parser.add_argument("--model", default="embedded")
    parser.add_argument("--n-hop", type=int, default=4)
    parser.add_argument("--top-k", type=int, default=20)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    lines = options.questions.read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines][: options.limit]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOPYARD_HOME"] = folder  # no call is in the ledger yet
        rows = asyncio.run(_measure(options, questions))
    result = {
        "command": " ".join(["python", "benchmarks/traversal.py", *map(_shown, sys.argv[1:])]),
        "cores": len(os.sched_getaffinity(0)),
        "model": chat_provider(options.model).identity,
        "n_hop": options.n_hop,
        "top_k": options.top_k,
        "paper_calls": PAPER_CALLS,
        "summary": {way: _summary(rows, way) for way in WAYS},
        "questions": rows,
    }
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(_table(result["summary"]))


async def _measure(
    options: argparse.Namespace, questions: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    settings = {"n_hop": options.n_hop, "top_k": options.top_k}
    given = {"index": str(options.index), "model": options.model, "hop": settings}
    seeds = iter(range(1, sys.maxsize))  # a seed of its own: no answer comes from the ledger
    # Both models and the index are loaded, and every prompt's beginning is in the engine's cache.
    for way in WAYS.values():
        await way("Is everything loaded?", read_context(given))
    rows = []
    for number, asked in enumerate(questions):
        row: dict[str, Any] = {"question": asked["question"]}
        # In turn, so that another load on the machine falls on all alike.
        ways = deque(WAYS)
        ways.rotate(number)
        for way in ways:
            cost = await WAYS[way](asked["question"], read_context(given | {"seed": next(seeds)}))
            row[way] = vars(cost) | _found(cost.kept, asked.get("supporting_ids", []))
            row[way].pop("kept")
        rows.append(row)
        seconds = ", ".join(f"{way} {row[way]['seconds']:.1f} s" for way in WAYS)
        print(f"{number + 1}/{len(questions)} {seconds}", file=sys.stderr)
    return rows


def _found(kept: list[str], supporting: list[str]) -> dict[str, float]:
    if not supporting:
        return {}
    wanted = set(supporting)
    found = {"recall_at_5": wanted.intersection(kept[:5]), "recall": wanted.intersection(kept)}
    return {name: len(some) / len(wanted) for name, some in found.items()}


async def as_it_comes(question: str, context: Context) -> Cost:
    """The strategy with its default settings for the model."""
    defaults = HopSettings(temperature=context.hop.temperature)
    return await as_wide(question, context.model_copy(update={"hop": defaults}))


async def as_wide(question: str, context: Context) -> Cost:
    """The strategy, timed until its passages are pruned; the answer is not part of it."""
    cost, run = Cost(), uuid4().hex
    started = perf_counter()
    asked = {"question": question, "run": run}
    async for update in hop.graph.astream(asked, context=context, stream_mode="updates"):
        if "prune" in update:
            cost.seconds = perf_counter() - started
            cost.kept = [one["passage_id"] for one in update["prune"]["evidence"]]
    for rate in model_caller(context.model).ledger.parse_rates(run):
        if rate.prompt == "judge-edges":
            cost.calls, cost.unreadable = rate.calls, rate.failed
            cost.input_tokens, cost.output_tokens = rate.input_tokens, rate.output_tokens
    return cost


WAYS: Final[dict[str, Callable[[str, Context], Awaitable[Cost]]]] = {
    "hop": as_it_comes,
    "hop, as wide": as_wide,
    "edges": by_edges,
    "vertices": by_vertices,
}


def _summary(rows: list[dict[str, Any]], way: str) -> dict[str, Any]:
    costs = [row[way] for row in rows]
    total = {key: sum(cost[key] for cost in costs) for key in ("seconds", "calls", "unreadable")}
    ratios = [row[way]["seconds"] / row["hop"]["seconds"] for row in rows]
    found = [(cost["recall_at_5"], cost["recall"]) for cost in costs if "recall" in cost]
    at_5, kept = map(statistics.mean, zip(*found, strict=True)) if found else (None, None)
    return {
        "seconds": total["seconds"] / len(costs),
        "calls": total["calls"] / len(costs),
        "output_tokens": sum(cost["output_tokens"] for cost in costs) / max(1, total["calls"]),
        "unreadable": total["unreadable"] / max(1, total["calls"]),
        "ratio": total["seconds"] / sum(row["hop"]["seconds"] for row in rows),
        "ratio_median": statistics.median(ratios),
        "recall_at_5": at_5,
        "recall": kept,
    }


def _table(summary: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [
        "| way | seconds a question | × hop | median × | model calls | tokens out a call "
        "| unreadable | recall@5 | recall of all kept |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for way, row in summary.items():
        at_5, kept = (
            "—" if (value := row[name]) is None else f"{value:.2f}"
            for name in ("recall_at_5", "recall")
        )
        lines.append(
            f"| {way} | {row['seconds']:.1f} | {row['ratio']:.1f} | {row['ratio_median']:.1f} "
            f"| {row['calls']:.1f} | {row['output_tokens']:.1f} | {row['unreadable']:.0%} "
            f"| {at_5} | {kept} |"
        )
    return "\n".join(lines)


def _shown(argument: str) -> str:
    path = Path(argument)
    return "/".join(path.parts[-2:]) if path.exists() else argument


if __name__ == "__main__":
    main()
