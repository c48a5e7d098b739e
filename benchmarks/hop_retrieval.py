"""What the hops find, beside plain search, on questions whose supporting passages are known.

    python benchmarks/hop_retrieval.py slice ../shared/data/musique --out SLICE
    hopyard index build SLICE/corpus.jsonl --out INDEX --with dense,sparse,passage-graph
    python benchmarks/hop_retrieval.py measure --index INDEX --questions SLICE/questions.jsonl

`slice` takes the first dev questions of a set, all their supporting passages, and further passages
of the same corpus, drawn with a fixed seed: a graph over 400 passages is a few hundred model calls.
`measure` makes no model call: the hops are chosen by similarity (HopRAG, Table 5). Beside the
paper's way stand what it leaves open: entry by passages or by both, the number of hops, the weight
of importance in equation 2, and the search's own passages as further candidates.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from langgraph.checkpoint.memory import InMemorySaver

from hopyard.graphs import hop
from hopyard.indexes.corpus_index import Index
from hopyard.indexes.kinds.passage_graph.similarity import similarities
from hopyard.nodes.hop.prune import importance
from hopyard.nodes.hop.query import graph_of, query_of
from hopyard.nodes.resources import index_of
from hopyard.state.hop import visits
from hopyard.state.settings import Context, HopSettings, read_context

RESULTS: Final = Path(__file__).parent / "results" / "hop_retrieval.json"
DEPTH: Final = 20
"""Passages that each way may bring."""
_PRUNED: Final = 0.5
"""Weight of importance in equation 2."""

Ranked = list[str]
Way = Callable[[str, Context], Awaitable[Ranked]]


def main() -> None:
    """Cut a slice, or measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    cut = commands.add_parser("slice")
    cut.add_argument("data", type=Path)
    cut.add_argument("--questions", type=int, default=40)
    cut.add_argument("--passages", type=int, default=400)
    cut.add_argument("--out", type=Path, required=True)
    cut.set_defaults(run=_slice)
    measure = commands.add_parser("measure")
    measure.add_argument("--index", type=Path, required=True)
    measure.add_argument("--questions", type=Path, required=True)
    measure.add_argument("--name", required=True, help="the row of the result file")
    measure.add_argument("--out", type=Path, default=RESULTS)
    measure.set_defaults(run=_measure)
    options = parser.parse_args()
    options.run(options)


def _slice(options: argparse.Namespace) -> None:
    questions = [one for one in _rows(options.data / "questions.jsonl") if one["split"] == "dev"]
    questions = questions[: options.questions]
    corpus = list(_rows(options.data / "corpus.jsonl"))
    needed = {passage for one in questions for passage in one["supporting_ids"]}
    others = [one["id"] for one in corpus if one["id"] not in needed]
    more = random.Random(7).sample(others, max(options.passages - len(needed), 0))
    kept = needed | set(more)
    options.out.mkdir(parents=True, exist_ok=True)
    _write(options.out / "questions.jsonl", questions)
    _write(options.out / "corpus.jsonl", [one for one in corpus if one["id"] in kept])
    print(f"{len(questions)} questions, {len(kept)} passages, {len(needed)} of them needed")


def _measure(options: argparse.Namespace) -> None:
    questions = [one for one in _rows(options.questions) if one["supporting_ids"]]
    found = asyncio.run(all_ways(options.index, questions, _ways()))
    known = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    known[options.name] = {
        "command": " ".join(["python", "benchmarks/hop_retrieval.py", *sys.argv[1:]]),
        "questions": len(questions),
        "ways": {way: summary(questions, ranked) for way, ranked in found.items()},
    }
    options.out.parent.mkdir(exist_ok=True)
    options.out.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    print(_table(known[options.name]["ways"]))


async def all_ways(
    directory: Path, questions: Sequence[Mapping[str, Any]], ways: Mapping[str, Way]
) -> dict[str, list[Ranked]]:
    """What each way finds for each question, the best first."""
    context = read_context({"index": str(directory)})
    index = await index_of(context)
    return {
        name: [_documents(index, await way(one["question"], context)) for one in questions]
        for name, way in ways.items()
    }


def _ways() -> dict[str, Way]:
    ways: dict[str, Way] = {"bm25": _sparse, "dense": _dense, "hybrid": _hybrid}
    for entry in ("edges", "passages", "both"):
        ways[f"hop, entry by {entry}"] = hops({"entry": entry})
    for n_hop in (1, 2, 3):
        ways[f"hop, {n_hop} hops"] = hops({"entry": "edges", "n_hop": n_hop})
    for weight in (0.0, 0.25, 0.75, 1.0):
        ways[f"hop, importance {weight:g}"] = hops({"entry": "edges"}, weight=weight)
    for weight in (0.0, 0.25):
        ways[f"hop, entry by both, importance {weight:g}"] = hops({"entry": "both"}, weight=weight)
    ways["hop fused with dense"] = _fused(hops({"entry": "both"}), _dense)
    ways["bm25 fused with dense"] = _fused(_sparse, _dense)
    return ways


async def _sparse(question: str, context: Context) -> Ranked:
    index = await index_of(context)
    return [one.passage_id for one in index.sparse_search(question, DEPTH)]


async def _dense(question: str, context: Context) -> Ranked:
    index, query = await index_of(context), await query_of(question, context)
    return [one.passage_id for one in index.dense_search(query.vector, DEPTH)]


async def _hybrid(question: str, context: Context) -> Ranked:
    index, query = await index_of(context), await query_of(question, context)
    return [one.passage_id for one in index.hybrid_search(question, query.vector, DEPTH)]


def hops(given: Mapping[str, Any], weight: float = _PRUNED) -> Way:
    """The hops with these settings, and importance of this weight in equation 2."""
    settings = HopSettings(reasoner="similarity", top_k=DEPTH, **given)

    async def way(question: str, context: Context) -> Ranked:
        context = context.model_copy(update={"hop": settings})
        walk = hop.graph.copy(
            {"checkpointer": InMemorySaver(), "interrupt_before_nodes": ["prune"]}
        )
        state = await walk.ainvoke(
            {"question": question}, {"configurable": {"thread_id": "one"}}, context=context
        )
        hops = (await walk.aget_state({"configurable": {"thread_id": "one"}})).values["hops"]
        del state
        return await _ranked(question, context, visits(hops), weight)

    return way


async def _ranked(
    question: str, context: Context, counts: Mapping[str, int], weight: float
) -> Ranked:
    """Equation 2 with a weight of importance: 0.5 is the paper's."""
    index, graph = await index_of(context), await graph_of(context)
    query = await query_of(question, context)
    found = list(counts)
    words = [graph.passage_keywords(one) for one in found]
    scores = similarities(query.keywords, query.vector, words, index.vectors(found))
    important = importance(counts)
    helpful = {
        one: (1 - weight) * float(score) + weight * important[one]
        for one, score in zip(found, scores, strict=True)
    }
    return sorted(found, key=lambda one: (-helpful[one], one))[:DEPTH]


def _fused(*ways: Way) -> Way:
    """Reciprocal rank fusion (Cormack et al., 2009; k = 60)."""

    async def way(question: str, context: Context) -> Ranked:
        scores: dict[str, float] = {}
        for one in ways:
            for rank, passage_id in enumerate(await one(question, context), 1):
                scores[passage_id] = scores.get(passage_id, 0) + 1 / (60 + rank)
        return sorted(scores, key=lambda one: (-scores[one], one))[:DEPTH]

    return way


def _documents(index: Index, passages: Ranked) -> Ranked:
    """Gold ids are of documents; a long document's passages have ids of their own."""
    return list(dict.fromkeys(one.document_id for one in index.passages(passages)))


def summary(questions: Sequence[Mapping[str, Any]], ranked: Sequence[Ranked]) -> dict[str, float]:
    """The means over the questions."""
    scores = [
        _scores(set(one["supporting_ids"]), found)
        for one, found in zip(questions, ranked, strict=True)
    ]
    return {name: round(fmean(one[name] for one in scores), 4) for name in scores[0]}


def _scores(gold: set[str], found: Ranked) -> dict[str, float]:
    """Precision, recall and F1 of the first five, recall further down, and all of it found."""
    hits = {k: len(gold & set(found[:k])) for k in (2, 5, 10, 20)}
    precision, recall = hits[5] / max(len(found[:5]), 1), hits[5] / len(gold)
    return {
        "precision": precision,
        "recall_at_5": recall,
        "f1": 2 * precision * recall / (precision + recall) if hits[5] else 0.0,
        "recall_at_2": hits[2] / len(gold),
        "recall_at_10": hits[10] / len(gold),
        "recall_at_20": hits[20] / len(gold),
        "all_at_20": float(hits[20] == len(gold)),
    }


def _table(ways: Mapping[str, Mapping[str, float]]) -> str:
    names = list(next(iter(ways.values())))
    lines = [" | ".join(["way", *names]), " | ".join(["---"] * (len(names) + 1))]
    lines += [" | ".join([way, *(f"{row[n]:.3f}" for n in names)]) for way, row in ways.items()]
    return "\n".join(f"| {line} |" for line in lines)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _write(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    text = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
