"""The choices of PageRank search, one changed at a time, on the split `train`.

    python benchmarks/walk_choices.py FOLDER

Searches the indexes that `benchmarks/entity_graph.py FOLDER` has built; no model is asked. Writes
recall@2, @5 and @10, and for 2WikiMultiHopQA, whose `train` questions have no supporting
passages, the share of questions with an answer in the first five passages, to
`benchmarks/results/walk_choices.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import numpy as np
from entity_graph import DEFAULT, DEPTHS, ROOT, Row, measures_of, search_all
from entity_graph_data import DataSet, data_sets
from numpy.typing import NDArray

from hopyard.indexes.searches.pagerank import names, query
from hopyard.measures.retrieval import recall_at
from hopyard.nodes.resources import Resources

RESULTS: Final = ROOT / "benchmarks" / "results" / "walk_choices.json"
SPLIT: Final = "train"


def weigh_one(passages_with: NDArray[np.int64]) -> NDArray[np.float64]:
    """Names that together weigh 1, as the passages do."""
    specificity = 1 / np.maximum(passages_with, 1)
    return np.asarray(specificity / specificity.sum())


CHOICES: Final[Mapping[str, Mapping[str, Any]]] = {
    "as it is": {},
    "names together weigh 1": {"name_weights": weigh_one},
    "without BM25": {"WORDS": 0.0},
    "names together weigh 1, without BM25": {"name_weights": weigh_one, "WORDS": 0.0},
    "BM25 has half": {"WORDS": 0.5},
    "passage_share 2": {"PASSAGE_SHARE": 2.0},
}
"""Constants of the modules of the search, by the name of the choice."""
PLACES: Final = {
    "name_weights": names,
    "PASSAGE_SHARE": names,
    "WORDS": query,
}


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="Where the indexes are.")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    options = parser.parse_args()
    sets = [
        replace(data, questions=[each for each in data.questions if each.split == SPLIT])
        for data in data_sets(options.data)
        if (options.folder / data.index_name).exists()
    ]
    with Resources(options.folder) as resources:
        rows = {
            name: {data.name: measure(data, choice, options.folder, resources) for data in sets}
            for name, choice in CHOICES.items()
        }
    result = {
        "command": "python benchmarks/walk_choices.py FOLDER",
        "split": SPLIT,
        "choices": rows,
    }
    RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


def measure(
    data: DataSet, choice: Mapping[str, Any], folder: Path, resources: Resources
) -> dict[str, float]:
    """The figures of one choice on one data set."""
    row = Row(data, DEFAULT)
    with ExitStack() as stack:
        for name in choice:
            stack.enter_context(patch.object(PLACES[name], name, choice[name]))
        searched = search_all(row, folder / row.data.index_name, resources)
    found = measures_of(data.questions, searched)
    kept = ("with_supporting_documents", *map(recall_at, DEPTHS), "with_answers", "answer_in_top_5")
    figures = {name: found[name] for name in kept if name in found}
    print(data.name, dict(choice), figures, flush=True)
    return figures


if __name__ == "__main__":
    main()
