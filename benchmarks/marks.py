"""The time of a quote's marks: its rectangles on the pages of a PDF.

    python benchmarks/marks.py ../shared/data/financebench/pdf/CORNING_2022_10K.pdf

Builds an index with `sparse` alone, and asks `Hopyard.marks` for the longest sentence of each
passage. Processor time of one core, the median of all quotes; `first` is that of the first quote,
which opens the index. Writes `benchmarks/results/marks.json`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

from hopyard import Hopyard
from hopyard.indexes.building.build import build
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.documents.loaders import load
from hopyard.indexes.listing import open_corpus
from hopyard.indexes.text.sentences import sentence_spans
from hopyard.models.embedder import Embedder
from hopyard.nodes.resources import Resources
from hopyard.state.answer import Citation

RESULTS: Final = Path(__file__).parent / "results" / "marks.json"


def main() -> None:
    """Build, measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pdf", type=Path)
    path = parser.parse_args().pdf
    with tempfile.TemporaryDirectory() as folder, Resources() as resources:
        index = Path(folder) / "index"
        asyncio.run(built(path, index, resources.embedder("builtin")))
        found = {
            "command": f"python benchmarks/marks.py {path}",
            "machine": f"{os.cpu_count()} cores, {platform.machine()}",
            "file": path.name,
            **measured(index),
        }
    print(json.dumps(found, indent=1))
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")


async def built(path: Path, index: Path, embedder: Embedder) -> None:
    """Build an index of a file without vectors."""
    documents = load([path]).documents
    await build(documents, directory=index, embedder=embedder, kinds=("sparse",))


def measured(index: Path) -> dict[str, float]:
    """The milliseconds of a quote, and how many quotes have marks."""
    with open_corpus(index) as corpus:
        citations = [cited(passage) for passage in corpus.passages()]
    with Hopyard(index=str(index)) as hopyard:
        runs = [timed(partial(hopyard.marks, citation)) for citation in citations]
    return {
        "quotes": len(runs),
        "marked": sum(bool(marks) for _, (marks,) in runs),
        "milliseconds": round(1000 * median(took for took, _ in runs), 2),
        "milliseconds_first": round(1000 * runs[0][0], 2),
    }


def cited(passage: Passage) -> Citation:
    """A citation of a passage's longest sentence."""
    start, end = max(sentence_spans(passage.text), key=lambda span: span[1] - span[0])
    return Citation.model_construct(passage_id=passage.id, quotes=(passage.text[start:end],))


def timed(run: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds of a run, and what it gives."""
    began = time.process_time()
    found = run()
    return time.process_time() - began, found


if __name__ == "__main__":
    main()
