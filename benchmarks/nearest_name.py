"""Recall of PageRank's papers if every name of a question is linked to its nearest entity.

    python benchmarks/nearest_name.py FOLDER

Hopyard links a name that the graph does not have only from a least cosine on; LinearRAG and
HippoRAG link every name. Both are measured for each data set whose index is in FOLDER, as
`benchmarks/entity_graph.py FOLDER` builds them; no model is asked. Writes
`benchmarks/results/nearest_name.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from entity_graph import Row, measures_of, search_all
from entity_graph_data import SPLITS, data_sets

from hopyard.indexes.searches.pagerank import query
from hopyard.nodes.resources import Resources

ROOT: Final = Path(__file__).resolve().parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "nearest_name.json"
METHODS: Final = ("linear", "hipporag")
LEASTS: Final = (query.LEAST, -1.0)
"""Least cosines: Hopyard's, and none."""


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    given = parser.parse_args()
    rows = list(_rows(given.data, given.folder))
    command = "python benchmarks/nearest_name.py FOLDER"
    RESULTS.write_text(json.dumps({"command": command, "rows": rows}, indent=1) + "\n", "utf-8")


def _rows(data: Path, folder: Path) -> Iterator[dict[str, Any]]:
    for source in data_sets(data):
        index = folder / source.index_name
        if not index.is_dir():
            continue
        for least in LEASTS:
            query.LEAST = least  # type: ignore[misc]
            for method in METHODS:
                with Resources(folder) as resources:
                    searched = search_all(Row(source, method), index, resources)
                row: dict[str, Any] = {"data_set": source.name, "method": method, "least": least}
                for split in SPLITS:
                    asked = [each for each in source.questions if each.split == split]
                    found = measures_of(asked, searched)
                    wanted = ("questions", "recall_at_2", "recall_at_5", "fell_back")
                    row[split] = {name: round(found[name], 4) for name in wanted}
                print(json.dumps(row))
                yield row


if __name__ == "__main__":
    main()
