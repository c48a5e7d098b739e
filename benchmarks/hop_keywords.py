"""The hops of `hop_retrieval.py` with keywords taken in another way.

    python benchmarks/hop_keywords.py always SLICE --out INDEX --name "musique, 400 passages, …"

Hopyard takes noun phrases for keywords only where a question has no name in it. Here they are taken
always, or never: in the questions, the passages and the query. The index is built anew, its
questions come from the ledger of the build before (the same `HOPYARD_HOME`). Two rows are added to
that name's table in `benchmarks/results/hop_retrieval.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import json
from pathlib import Path
from typing import get_args

from hop_retrieval import RESULTS, all_ways, hops, summary

from hopyard.cli.main import app
from hopyard.indexes.kinds.passage_graph import assemble, sides
from hopyard.indexes.kinds.passage_graph.keywords import NounPhrases, extract_keywords
from hopyard.nodes.hop import query as hop_graph


def main() -> None:
    """Build, measure, add the rows."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("noun_phrases", choices=get_args(NounPhrases))
    parser.add_argument("slice", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", required=True, help="the table of the result file")
    options = parser.parse_args()
    taken = functools.partial(extract_keywords, noun_phrases=options.noun_phrases)
    for module in (assemble, sides, hop_graph):
        module.extract_keywords = taken  # type: ignore[attr-defined]
    build = ["index", "build", str(options.slice / "corpus.jsonl"), "--out", str(options.out)]
    build += ["--with", "dense,sparse,passage-graph", "--set", "graph.max_failure_rate=0.9"]
    app([*build, "--skip-bad"], standalone_mode=False)
    lines = (options.slice / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [one for line in lines if (one := json.loads(line))["supporting_ids"]]
    ways = {
        f"hop, entry by {entry}, noun phrases {options.noun_phrases}": hops({"entry": entry})
        for entry in ("edges", "both")
    }
    found = asyncio.run(all_ways(options.out, questions, ways))
    known = json.loads(RESULTS.read_text(encoding="utf-8"))
    known[options.name]["ways"] |= {way: summary(questions, one) for way, one in found.items()}
    RESULTS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    print(json.dumps({way: known[options.name]["ways"][way] for way in ways}, indent=1))


if __name__ == "__main__":
    main()
