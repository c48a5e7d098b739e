"""Which strategy the route chooses for questions about the whole, about one entity, and others.

    hopyard index build CORPUS --out DIR --with dense,sparse,entity-graph,communities
    python benchmarks/route_choice.py DIR MODEL

CORPUS is the articles of MultiHop-RAG. The ninety questions of `route_choice.jsonl` were written by
hand about these articles and about the guidelines of the medical half of GraphRAG-Bench: thirty
for `global`, thirty for `local`, and thirty others. Only the route runs, with the gate before it;
it does not see documents. Writes `benchmarks/results/route_choice.json`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

from langgraph.checkpoint.memory import InMemorySaver

from hopyard.graphs.router import build
from hopyard.nodes.resources import Resources, config_with
from hopyard.state.settings.sources import read_context

QUESTIONS: Final = Path(__file__).with_suffix(".jsonl")
RESULTS: Final = Path(__file__).parent / "results" / "route_choice.json"
MODES: Final = ("auto", "model")


async def chosen(index: str, model: str, mode: str, lines: list[dict[str, str]]) -> dict[str, Any]:
    """The choices of one mode of the route, counted by type of question."""
    agent = build().compile(checkpointer=InMemorySaver(), interrupt_after=["route"])
    settings = {"index": index, "model": model, "route": mode, "concurrency": 400, "timeout": 1400}
    context = read_context(settings)
    with Resources() as resources:

        async def choose(line: dict[str, str]) -> str:
            config = config_with(resources, {"configurable": {"thread_id": f"{mode}/{line['id']}"}})
            state = await agent.ainvoke({"question": line["question"]}, config, context=context)
            return str(state["route"]["strategy"])

        choices = await asyncio.gather(*map(choose, lines))
    found: dict[str, Counter[str]] = {}
    for line, choice in zip(lines, choices, strict=True):
        found.setdefault(line["type"], Counter())[choice] += 1
    return {
        "choices": {kind: dict(counts.most_common()) for kind, counts in found.items()},
        "other_than_the_type": {
            line["question"]: choice
            for line, choice in zip(lines, choices, strict=True)
            if (choice in {"global", "local"} or line["type"] != "other") and choice != line["type"]
        },
    }


def main() -> None:
    """Ask the route in both modes."""
    index, model = sys.argv[1:]
    lines = [json.loads(line) for line in QUESTIONS.read_text().splitlines()]
    results: dict[str, Any] = {"chat_model": model, "questions": len(lines)}
    for mode in MODES:
        results[mode] = asyncio.run(chosen(index, model, mode, lines))
        print(mode, json.dumps(results[mode]["choices"]))
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
