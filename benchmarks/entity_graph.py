"""Retrieval by PageRank over the entity graph, beside BM25, dense and hybrid search.

    python benchmarks/entity_graph.py FOLDER

Builds the indexes that FOLDER lacks, updates the others, and searches them for every question of
the split `dev` of four data sets; no model is asked. Without the folder of data sets it measures
nothing. Settings were chosen on the split `train`. Writes `benchmarks/results/entity_graph.json`,
where the rows of sets that are not named stay, and prints tables.

Recall counts documents. "Answer in top 5" is the share of questions with a gold answer in the title
or text of the first five passages, word for word, after lower-casing and without punctuation and
articles; questions with the answer yes or no do not count. "Hidden answer" leaves out those whose
answer is in the question. Milliseconds are of one search, the median, without embedding; those of
the processor count all threads, and not the other work of the machine.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from time import perf_counter, process_time
from typing import Any, Final, NamedTuple

import numpy as np
from entity_graph_data import DataSet, build_index, data_sets
from entity_graph_report import tables
from numpy.typing import NDArray

from hopyard.indexes.search import SEARCHES, Search
from hopyard.measures.answers import contains_answer, normalize_answer
from hopyard.measures.bootstrap import difference
from hopyard.measures.questions import Question
from hopyard.measures.retrieval import RECALL_AT_5, recall_at, retrieval_measures, unique
from hopyard.models.embedder import Vector
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "entity_graph.json"
BASELINES: Final = ("sparse", "dense", "hybrid")
DEFAULT: Final = "names"
SPLIT: Final = "dev"
PAPERS: Final = ("hipporag", "hipporag2", "linear")
DEPTHS: Final = (2, 5, 10)
FOUND: Final = 20
"""Passages of a search: a long document gives several."""
TOP: Final = 5


class Row(NamedTuple):
    """One way to search one data set."""

    data: DataSet
    method: str
    """A search, or a method of the search pagerank."""

    def settings(self, index: Path) -> Context:
        """The settings of its searches."""
        method = DEFAULT if self.method in BASELINES else self.method
        return Context.model_validate({"index": str(index), "pagerank": {"method": method}})


class Found(NamedTuple):
    """What one question's search found."""

    documents: list[str]
    answer: bool
    fell_back: bool
    ms: float
    processor_ms: float


Searched = dict[str, Found]
"""What a row found, by question."""


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="Where the indexes are, or will be built.")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--only", nargs="+", help="Names of data sets.")
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    sets = [
        replace(data, questions=[each for each in data.questions if each.split == SPLIT])
        for data in data_sets(options.data)
        if not options.only or data.name in options.only
    ]
    if not sets:
        print(f"Nothing was measured: {options.data} has no data set.")
        return
    for data in sets:
        build_index(data, options.folder)
    with Resources(options.folder) as resources:
        searched = {
            row: search_all(row, options.folder / row.data.index_name, resources)
            for row in _rows(sets)
        }
    found = json.loads(options.out.read_text("utf-8")) if options.out.exists() else {}
    named = {data.name for data in sets}
    kept = {
        part: [row for row in found.get(part, []) if row["data_set"] not in named]
        for part in ("rows", "recall_at_5_differences")
    }
    result = {
        "command": "python benchmarks/entity_graph.py FOLDER --only SET",
        "machine": f"{os.cpu_count()} cores, {platform.machine()}",
        "load_average": round(os.getloadavg()[0], 1),
        "reported": "dev; settings were chosen on train",
        "rows": kept["rows"] + [_describe(row, found) for row, found in searched.items()],
        "recall_at_5_differences": kept["recall_at_5_differences"] + _differences(searched),
    }
    options.out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print("\n".join(tables(result)))


def _rows(sets: Sequence[DataSet]) -> list[Row]:
    """The searches without a graph, and every method over each graph."""
    rows = []
    for data in sets:
        rows += [Row(data, method) for method in BASELINES]
        rows += [Row(data, method) for method in (DEFAULT, *PAPERS)]
    return rows


def search_all(row: Row, index: Path, resources: Resources) -> Searched:
    """Search for every question of a data set."""
    run = Run("benchmark", row.settings(index), resources)

    async def each() -> Searched:
        # The first search opens the index, and is not timed.
        await _search(run, row, row.data.questions[0])
        return {question.id: await _search(run, row, question) for question in row.data.questions}

    return asyncio.run(each())


async def _search(run: Run, row: Row, question: Question) -> Found:
    embedding = np.zeros(2)

    async def embed(text: str) -> Vector:
        started = _clocks()
        vector = await run.embed(text)
        np.add(embedding, _clocks() - started, out=embedding)
        return vector

    search = Search(question.question, FOUND, await run.index(), run.settings, embed)
    method = SEARCHES[row.method if row.method in BASELINES else "pagerank"]
    started = _clocks()
    evidence = await method.run(search)
    ms, processor_ms = (1000 * (_clocks() - started - embedding)).tolist()
    passages = await run.passages(passage_ids(evidence))
    top = " ".join(f"{passage.title} {passage.text}" for passage in passages[:TOP])
    return Found(
        documents=unique(passage.document_id for passage in passages),
        answer=any(contains_answer(top, answer) for answer in question.answers),
        fell_back=" search, since " in evidence[0].get("why", "") if evidence else False,
        ms=ms,
        processor_ms=processor_ms,
    )


def _clocks() -> NDArray[np.float64]:
    """Seconds of the wall and of the processor."""
    return np.array((perf_counter(), process_time()))


def _describe(row: Row, searched: Searched) -> dict[str, Any]:
    """A row of the result."""
    described: dict[str, Any] = {
        "data_set": row.data.name,
        "method": row.method,
        "ms": round(median(found.ms for found in searched.values()), 1),
        "processor_ms": round(median(found.processor_ms for found in searched.values()), 1),
    }
    return {**described, SPLIT: measures_of(row.data.questions, searched)}


def measures_of(questions: Sequence[Question], searched: Searched) -> dict[str, float]:
    """Means over the questions of a split, each with the number of its questions."""
    recalls = _recalls(questions, searched)
    answers = [each for each in questions if not _yes_or_no(each)]
    hidden = [
        each
        for each in answers
        if not any(contains_answer(each.question, answer) for answer in each.answers)
    ]
    return {
        "with_supporting_documents": len(recalls),
        **{
            name: round(fmean(values[name] for values in recalls.values()), 4)
            for name in map(recall_at, DEPTHS)
            if recalls
        },
        "with_answers": len(answers),
        "answer_in_top_5": round(fmean(searched[each.id].answer for each in answers), 4),
        "with_hidden_answers": len(hidden),
        "hidden_answer_in_top_5": round(fmean(searched[each.id].answer for each in hidden), 4),
        "questions": len(questions),
        "fell_back": round(fmean(searched[each.id].fell_back for each in questions), 4),
    }


def _recalls(questions: Sequence[Question], searched: Searched) -> dict[str, dict[str, float]]:
    found = {each.id: searched[each.id].documents for each in questions}
    gold = {each.id: each.supporting_ids for each in questions}
    return retrieval_measures(found, gold, DEPTHS)


def _yes_or_no(question: Question) -> bool:
    return any(normalize_answer(answer) in {"yes", "no"} for answer in question.answers)


def _differences(searched: Mapping[Row, Searched]) -> list[dict[str, Any]]:
    """Mean differences of recall@5 with 95 % intervals, paired over questions."""
    compared = []
    for data in dict.fromkeys(row.data for row in searched):
        for method in (DEFAULT, *PAPERS):
            for baseline in ("dense", "hybrid"):
                row, against = Row(data, method), Row(data, baseline)
                compared.append(
                    {
                        "data_set": data.name,
                        "method": method,
                        "baseline": baseline,
                        SPLIT: _difference(row, against, searched),
                    }
                )
    return compared


def _difference(row: Row, against: Row, searched: Mapping[Row, Searched]) -> dict[str, float]:
    ours, theirs = (_recalls(row.data.questions, searched[each]) for each in (row, against))
    names = sorted(ours)
    if not names:
        return {"n": 0}
    pair = ([recalls[name][RECALL_AT_5] for name in names] for recalls in (ours, theirs))
    return {"n": len(names), **difference(*pair)._asdict()}


if __name__ == "__main__":
    main()
