"""BM25 by the language of each passage, beside BM25 by the language of the corpus. No chat model.

    python benchmarks/passage_language.py DATA FOLDER

FOLDER gets two indexes each of the short German and Spanish passages of
`tests/models/builtin/languages.json` among the articles of DATA/multihoprag, which are English: one
as Hopyard builds it, and one that takes stems and stop words of each passage and each question from
the language that the classifier finds in it. Counts the own-language questions that find their
passage first and among the first five, and the recall@5 of MultiHop-RAG's English questions. `own`
has the passages of one language alone, so its language is that of the corpus. Writes
`benchmarks/results/passage_language.json`.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any, Final
from unittest.mock import patch

from searches import read_questions, share

from hopyard.indexes.building.build import build
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.documents.loaders import load
from hopyard.indexes.kinds.sparse.words import Words
from hopyard.indexes.text.language import detect_language
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.state.schemas import passage_ids
from hopyard.state.settings.fields import Context

ROOT: Final = Path(__file__).parents[1]
RESULTS: Final = ROOT / "benchmarks" / "results" / "passage_language.json"
SAMPLES: Final = ROOT / "tests" / "models" / "builtin" / "languages.json"
LANGUAGES: Final = ("German", "Spanish")
_OF: Final = Words.of


def words_of(words: Words, texts: Sequence[str]) -> list[list[str]]:
    """The words of each text, by its own language."""
    return [_OF(replace(words, language=detect_language([text])), [text])[0] for text in texts]


async def place(run: Run, question: str, method: str, wanted: str) -> int:
    """The place of a document among the first five passages, from 0; 5 if it is not there."""
    passages = await run.passages(passage_ids(await run.find(question, k=5, method=method)))
    found = [passage.document_id for passage in passages]
    return found.index(wanted) if wanted in found else 5


async def measure(
    data: Path,
    index: Path,
    samples: dict[str, list[list[str]]],
    resources: Resources,
    english: bool,
) -> dict[str, Any]:
    """Build an index, and search it."""
    documents = [
        Document(f"{name}-{number}", "", text)
        for name, rows in samples.items()
        for number, (text, *_) in enumerate(rows)
    ]
    if english:
        documents += load([str(data / "multihoprag" / "corpus.jsonl")]).documents
    embedder = resources.embedder("builtin")
    await build(documents, directory=index, embedder=embedder, kinds=["dense", "sparse"])
    run = Run("languages", Context(index=str(index)), resources)
    found: dict[str, Any] = {"corpus": (await run.index()).manifest.language}
    for method in ("sparse", "hybrid"):
        for name, rows in samples.items():
            places = [await place(run, row[1], method, f"{name}-{n}") for n, row in enumerate(rows)]
            found[f"{method}, {name}"] = [sum(each < most for each in places) for most in (1, 5)]
        if english:
            shares = []
            for row in read_questions(data / "multihoprag"):
                units = await run.find(row["question"], k=20, method=method)
                shares.append(share(row, await run.passages(passage_ids(units)), 5))
            found[f"{method}, MultiHop-RAG"] = round(fmean(shares), 4)
    return found


async def main() -> None:
    """Measure each index."""
    data, folder = map(Path, sys.argv[1:3])
    samples = {name: json.loads(SAMPLES.read_text("utf-8"))[name] for name in LANGUAGES}
    results: dict[str, Any] = {}
    with Resources() as resources:
        for name in LANGUAGES:
            own = {name: samples[name]}
            results[f"own, {name}"] = await measure(data, folder / name, own, resources, False)
        for way in ("corpus", "passage"):
            with patch.object(Words, "of", words_of) if way == "passage" else nullcontext():
                found = await measure(data, folder / way, samples, resources, True)
            results[f"by the language of the {way}"] = found
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    asyncio.run(main())
