"""Answers from summary trees, by rule and by the model, beside search and GraphRAG.

    python benchmarks/summary_answers.py DATA FOLDER MODEL [--set NAME=VALUE ...] [--arms ARM,…]

DATA has the folder `graphrag_bench_medical`; FOLDER keeps two indexes of twelve of its guides. Of
the `dev` questions that name the disease of a guide, the first eight of each type are asked. Each
arm but `global` reads about 2,000 tokens; `global` reads all communities, and is asked every second
question. Whether an answer has the
points of the reference answer is judged as `hopyard eval --judge` does (`covered`), by MODEL.
Writes `benchmarks/results/summary_answers.json`, and FOLDER/answers.json with the answers. The
dry run's estimate is made for an index that does not exist.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from hopyard.evaluation.ask import ask
from hopyard.evaluation.judge import covered_points
from hopyard.evaluation.variants import Variant
from hopyard.indexes.building.build import build, estimate
from hopyard.indexes.documents.loaders import load
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.summary_tree.tree import TreeStats
from hopyard.measures.bootstrap import difference
from hopyard.measures.questions import Question
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.settings.fields import Context
from hopyard.state.settings.sources import change_context, read_context

RESULTS: Final = Path(__file__).parent / "results" / "summary_answers.json"
SET: Final = "graphrag_bench_medical"
GUIDES: Final = {
    "med-000": "basal cell",
    "med-003": "CML|chronic myeloid",
    "med-007": "esophag",
    "med-017": "kidney",
    "med-022": "pancrea",
    "med-031": "colon",
    "med-032": "nasophar",
    "med-035": "thyroid",
    "med-036": "bone cancer|osteosarc|chondros|ewing",
    "med-039": "glioma",
    "med-040": "CLL",
    "med-042": "bladder",
}
"""The guides, and how questions name their diseases."""
TYPES: Final = {
    "Fact Retrieval": "fact",
    "Complex Reasoning": "reasoning",
    "Contextual Summarize": "summary",
}
EACH: Final = 8
"""Questions of a type."""
TOKENS: Final = 2000
_TREE: Final = {
    "retrieval": {"method": "summaries", "k": 30, "tokens": 0},
    "summaries": {"tokens": TOKENS},
}
ARMS: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "hybrid": ("rule", {"retrieval": {"tokens": TOKENS}}),
    "segments": ("rule", {"retrieval": {"method": "segments", "tokens": TOKENS}}),
    "summaries by rule": ("rule", _TREE),
    "summaries by the model": ("model", _TREE),
    "local": ("rule", {"strategy": "local", "local": {"tokens": TOKENS}}),
    "global": ("rule", {"strategy": "global"}),
}
"""The writer of the index that an arm reads, and its settings; the strategy is `single` else."""
STEPS: Final = {"global": 2}
"""`global` is asked every second question."""
KINDS: Final = {
    "rule": ["dense", "sparse", "summary-tree", "entity-graph", "communities"],
    "model": ["dense", "sparse", "summary-tree"],
}


def questions(data: Path) -> list[dict[str, Any]]:
    """The questions, eight of each type."""
    lines = (data / SET / "questions.jsonl").read_text("utf-8").splitlines()
    found: dict[str, list[dict[str, Any]]] = {kind: [] for kind in TYPES}
    for row in map(json.loads, lines):
        own = found.get(row["type"], [])
        if row["split"] == "dev" and len(own) < EACH and _names_a_guide(row["question"]):
            own.append(row)
    return [row for own in found.values() for row in own]


def _names_a_guide(question: str) -> bool:
    return any(
        re.search(rf"\b(?:{name})", question, 0 if name.isupper() else re.IGNORECASE)
        for name in GUIDES.values()
    )


async def build_trees(data: Path, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Build both indexes; the size and the calls of each tree, and the dry run's estimate."""
    read = load([str(data / SET / "corpus.jsonl")]).documents
    documents = [document for document in read if document.id in GUIDES]
    found: dict[str, Any] = {}
    with Resources() as resources:
        for writer, kinds in KINDS.items():
            settings = read_context(
                {**_given(options), "model": options.model, "summary_tree": {"writer": writer}}
            )
            about: dict[str, Any] = {
                "embedder": resources.embedder("builtin"),
                "kinds": kinds,
                "settings": settings,
                "caller": lambda: resources.caller(options.model),
            }
            if writer == "model":
                _, costs = await estimate(documents, directory=folder / "none", **about)
                cost = costs["summary-tree"]
                found["dry run"] = {
                    "calls to ask": cost.spent_calls,
                    "calls": cost.model_calls,
                    "input tokens": cost.input_tokens,
                    "output tokens": cost.output_tokens,
                }
            await build(documents, directory=folder / writer, **about)
            with Index.open(folder / writer) as index:
                stats = TreeStats.load(index.kind_directory("summary-tree"))
            found[writer] = {
                "passages": stats.passages,
                "layers": stats.layers,
                "by rule": stats.by_rule,
                "calls": sum(rate.calls for rate in stats.written.calls),
                "input tokens": sum(rate.input_tokens for rate in stats.written.calls),
                "output tokens": sum(rate.output_tokens for rate in stats.written.calls),
            }
            print(json.dumps(found), flush=True)
    return found


def _given(options: argparse.Namespace) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in options.set)


async def answer_all(
    folder: Path, asked: Sequence[dict[str, Any]], options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Ask and judge every question with every arm, side by side."""

    async def ask_one(arm: str, context: Context, row: dict[str, Any]) -> dict[str, Any]:
        question, variant = Question.model_validate(row), Variant(arm, context.strategy)
        record, _ = await ask(question, variant, context, f"{arm}/{question.id}", resources)
        run = Run("summary-answers/judge", context, resources)
        points = await covered_points(run, record.question, record.gold[0], record.answer)
        cost = record.cost
        print(arm, row["id"], f"{sum(each.covered for each in points)}/{len(points)}", flush=True)
        return {
            "id": row["id"],
            "type": TYPES[row["type"]],
            "arm": arm,
            "calls": cost.model_calls,
            "tokens": cost.input_tokens + cost.output_tokens,
            "input tokens": cost.input_tokens,
            "covered": round(fmean(each.covered for each in points), 4),
            "points": [each.model_dump() for each in points],
            "answer": record.answer,
        }

    common = {
        "model": options.model,
        "strategy": "single",
        "gate": "off",
        "answer": {"style": "full", "check": "rules"},
    }
    with Resources() as resources:
        asking = []
        for arm in options.arms:
            writer, settings = ARMS[arm]
            context = read_context({**common, **_given(options), "index": str(folder / writer)})
            context = change_context(context, settings)
            asking += [ask_one(arm, context, row) for row in asked[:: STEPS.get(arm, 1)]]
        return await asyncio.gather(*asking)


def summary(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Points covered by each arm, and its difference to `hybrid`, question by question."""
    found = {}
    by_arm: dict[str, dict[str, dict[str, Any]]] = {}
    for row in rows:
        by_arm.setdefault(row["arm"], {})[row["id"]] = row
    for arm, own in by_arm.items():
        table: dict[str, Any] = {
            kind: round(fmean(row["covered"] for row in own.values() if row["type"] == kind), 3)
            for kind in TYPES.values()
        }
        covered = [row["covered"] for row in own.values()]
        table["all"] = round(fmean(covered), 3)
        for name in ("calls", "input tokens", "tokens"):
            table[name] = round(fmean(row[name] for row in own.values()), 1)
        if arm != "hybrid" and "hybrid" in by_arm:
            base = [by_arm["hybrid"][name]["covered"] for name in own]
            table["to hybrid"] = [round(bound, 3) for bound in difference(covered, base)]
            pairs = list(zip(covered, base, strict=True))
            table["asked"] = len(pairs)
            table["better"] = sum(new > old for new, old in pairs)
            table["worse"] = sum(new < old for new, old in pairs)
        found[arm] = table
    return found


async def measure(options: argparse.Namespace) -> None:
    """Build, ask, judge, and write the results."""
    trees = await build_trees(options.data, options.folder, options)
    rows = await answer_all(options.folder, questions(options.data), options)
    text = json.dumps(rows, indent=1, ensure_ascii=False)
    (options.folder / "answers.json").write_text(text, encoding="utf-8")
    for row in rows:  # texts of the data stay in the folder
        row["points"] = len(row["points"])
        del row["answer"]
    found = {
        "model": options.model,
        "questions": len({row["id"] for row in rows}),
        "trees": trees,
        "arms": summary(rows),
        "answers": rows,
    }
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(found["arms"], indent=1))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("model")
    parser.add_argument("--arms", type=lambda text: text.split(","), default=[*ARMS])
    parser.add_argument("--set", action="append", default=[], help="a setting, NAME=VALUE")
    parser.add_argument("--out", type=Path, default=RESULTS)
    asyncio.run(measure(parser.parse_args()))


if __name__ == "__main__":
    main()
