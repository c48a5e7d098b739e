"""Write a small corpus for some questions: their supporting documents, and what a search finds.

    python benchmarks/small_corpus.py musique --index musique-index --out small/corpus.jsonl

Writing a passage graph takes a model call a passage, so the runs of `hop` in docs/results.md have
such corpora. Measured at the second half of `dev`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from hopyard import Hopyard
from hopyard.measures.questions import read_questions


def main() -> None:
    """Write the corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder of questions.jsonl and corpus.jsonl")
    parser.add_argument("--index", type=Path, required=True, help="index of the whole corpus")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=15)
    parser.add_argument("-k", type=int, default=10, help="passages found for each question")
    options = parser.parse_args()
    questions = read_questions(
        options.data / "questions.jsonl", split="dev", half="second", limit=options.questions
    )
    kept = {document for question in questions for document in question.supporting_ids}
    with Hopyard(options.index, search="hybrid", k=options.k) as hop:
        for question in questions:
            found = hop.search(question.question)
            kept |= {source.document_id for unit in found for source in unit.sources}
    with (options.data / "corpus.jsonl").open(encoding="utf-8") as lines:
        chosen = [line for line in lines if json.loads(line)["id"] in kept]
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text("".join(chosen), encoding="utf-8")
    print(f"{len(chosen)} documents")


if __name__ == "__main__":
    main()
