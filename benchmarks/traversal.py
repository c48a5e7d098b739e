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

To the literal ways' advantage there are no pauses between calls, which the authors' code makes, an
answer has at most 64 tokens instead of 2,048, one that cannot be read leads nowhere, and nothing
is judged twice. Writes `benchmarks/results/traversal.json`, and a table to standard output.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from uuid import uuid4

from openai import LengthFinishReasonError
from traversal_prompts import CHOOSE_FOLLOW_UP, JUDGE_ONE_EDGE

from hopyard.graphs import hop
from hopyard.indexes.passage_graph.graph import Edge
from hopyard.models.call import model_caller
from hopyard.models.chat import Sampling, chat_provider
from hopyard.nodes.hop_graph import graph_of, query_of
from hopyard.nodes.hop_prune import by_helpfulness
from hopyard.nodes.resources import index_of
from hopyard.state.settings import Context, HopSettings, read_context

RESULTS: Final = Path(__file__).parent / "results" / "traversal.json"
PAPER_CALLS: Final = 38.53
MAX_TOKENS: Final = 64
TRIES: Final = 2
"""Times that the authors' code asks for an answer that it cannot read."""
USE: Final = {"Completely Irrelevant": 0, "Indirectly Relevant": 1, "Relevant and Necessary": 2}


@dataclass
class Cost:
    """What one question cost one way."""

    seconds: float = 0.0
    calls: int = 0
    unreadable: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    kept: list[str] = field(default_factory=list)


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
    return {"recall": len(set(kept) & set(supporting)) / len(set(supporting))}


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


async def by_edges(question: str, context: Context) -> Cost:
    """Every edge question judged by a call of its own."""
    judged: dict[str, int] = {}
    model = _Model(context)

    async def reason(edges: list[Edge], _: str) -> Edge | None:
        for edge in edges:
            if edge.question not in judged:
                asked = JUDGE_ONE_EDGE.format(question=question, follow_up=edge.question)
                answer = await model.json(asked, lambda given: given["Decision"] in USE)
                judged[edge.question] = USE[answer["Decision"]] if answer else 0
        best = max(edges, key=lambda edge: judged[edge.question])
        return best if judged[best.question] else None

    return await _literally(question, context, model, reason)


async def by_vertices(question: str, context: Context) -> Cost:
    """Every vertex asked once for the question that helps most, written out."""
    model = _Model(context)

    async def reason(edges: list[Edge], text: str) -> Edge | None:
        by_text = {edge.question: edge for edge in edges}
        numbered = json.dumps(dict(enumerate(by_text, 1)), ensure_ascii=False)
        asked = CHOOSE_FOLLOW_UP.format(question=question, passage=text, follow_ups=numbered)
        answer = await model.json(asked, lambda given: isinstance(given["Decision"], str))
        chosen = str(answer.get("Follow-up", ""))
        return by_text.get(chosen)

    return await _literally(question, context, model, reason)


WAYS: Final[dict[str, Callable[..., Any]]] = {
    "hop": as_it_comes,
    "hop, as wide": as_wide,
    "edges": by_edges,
    "vertices": by_vertices,
}


async def _literally(
    question: str, context: Context, model: _Model, reason: Callable[..., Any]
) -> Cost:
    """Algorithm 1, line by line."""
    cost, started = model.cost, perf_counter()
    index, graph = await index_of(context), await graph_of(context)
    query = await query_of(question, context)
    entered = graph.entry_edges(query.vector, query.keywords, context.hop.top_k)
    count = Counter(edge.head for edge, _ in entered)
    queue = deque(count)
    for _ in range(context.hop.n_hop):
        for _ in range(len(queue)):
            vertex = queue.popleft()
            edges = graph.out_edges(vertex)
            scores = graph.similarities(query.vector, query.keywords, edges)
            edges = [edges[at] for at in sorted(range(len(edges)), key=lambda at: -scores[at])]
            [passage] = index.passages([vertex])
            chosen = await reason(edges, passage.text) if edges else None
            if chosen is None:
                continue
            if chosen.head not in count:
                queue.append(chosen.head)
            count[chosen.head] += 1
    ranked = by_helpfulness(index, graph, query, count)[: context.hop.top_k]
    cost.kept = [one["passage_id"] for one in ranked]
    cost.seconds = perf_counter() - started
    return cost


class _Model:
    """The same model, asked as the authors' code asks: any JSON object, read as it comes."""

    def __init__(self, context: Context) -> None:
        sampling = Sampling(MAX_TOKENS, context.hop.temperature, context.seed)
        chat = chat_provider(context.model).connect(sampling)
        self._chat = chat.bind(response_format={"type": "json_object"})
        self.cost = Cost()

    async def json(self, asked: str, fits: Callable[[Any], bool]) -> Mapping[str, Any]:
        """One answer, asked for again if it cannot be read; empty if that does not help."""
        for _ in range(TRIES):
            text = await self._answer(asked)
            try:
                given: Mapping[str, Any] = json.loads(text)
                if fits(given):
                    return given
            except (ValueError, KeyError, TypeError):
                pass
            self.cost.unreadable += 1
        return {}

    async def _answer(self, asked: str) -> str:
        self.cost.calls += 1
        try:
            message = await self._chat.ainvoke([("user", asked)])
        except LengthFinishReasonError as error:  # the client reads the JSON itself, or raises
            usage = error.completion.usage
            self.cost.input_tokens += usage.prompt_tokens if usage else 0
            self.cost.output_tokens += usage.completion_tokens if usage else 0
            return ""
        spent = message.usage_metadata or {}
        self.cost.input_tokens += spent.get("input_tokens", 0)
        self.cost.output_tokens += spent.get("output_tokens", 0)
        return str(message.text)


def _summary(rows: list[dict[str, Any]], way: str) -> dict[str, float]:
    costs = [row[way] for row in rows]
    total = {key: sum(cost[key] for cost in costs) for key in ("seconds", "calls", "unreadable")}
    ratios = [row[way]["seconds"] / row["hop"]["seconds"] for row in rows]
    recalls = [cost["recall"] for cost in costs if "recall" in cost]
    return {
        "seconds": total["seconds"] / len(costs),
        "calls": total["calls"] / len(costs),
        "output_tokens": sum(cost["output_tokens"] for cost in costs) / max(1, total["calls"]),
        "unreadable": total["unreadable"] / max(1, total["calls"]),
        "ratio": total["seconds"] / sum(row["hop"]["seconds"] for row in rows),
        "ratio_median": statistics.median(ratios),
    } | ({"recall": statistics.mean(recalls)} if recalls else {})


def _table(summary: Mapping[str, Mapping[str, float]]) -> str:
    lines = [
        "| way | seconds a question | × hop | median × | model calls | tokens out a call "
        "| unreadable | recall |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for way, row in summary.items():
        recall = f"{row['recall']:.2f}" if "recall" in row else "—"
        lines.append(
            f"| {way} | {row['seconds']:.1f} | {row['ratio']:.1f} | {row['ratio_median']:.1f} "
            f"| {row['calls']:.1f} | {row['output_tokens']:.1f} | {row['unreadable']:.0%} "
            f"| {recall} |"
        )
    return "\n".join(lines)


def _shown(argument: str) -> str:
    path = Path(argument)
    return "/".join(path.parts[-2:]) if path.exists() else argument


if __name__ == "__main__":
    main()
