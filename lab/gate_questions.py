"""Collect the questions that the shipped gates are trained and measured on, each with its corpus.

    python -m lab.gate_questions DATA --out POOL

reads the question sets of DATA (`lab/README.md` describes them; a missing folder is skipped with a
message) and the written material beside this file, and writes a folder for each corpus:

    POOL/CORPUS/corpus.jsonl, train.jsonl, dev.jsonl

Everyday requests and Natural Questions have no documents of their own, so they are dealt out to all
corpora: an assistant over one person's documents is asked such things too. Each corpus also has
questions that sound as if its documents answered them, and they do not. The gate cannot know that,
so these need documents (`needs_documents`). An everyday request needs none. Of Natural Questions
those are taken that a large language model answered rightly from memory and not from the corpus
(`gate_written/known.txt`, their ids), so they need none either. So no label takes a model call.
The `type` of a question names its source.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

from hopyard.measures.questions import Question
from hopyard.state.storage.atomic import write_file
from lab.sources import Guard, Source, read_source
from lab.sources import Question as Sourced

__all__ = ("COUNTS", "SETS", "WRITTEN", "main", "pool")

SETS: Final = ("hotpotqa", "musique", "2wikimultihopqa", "multihoprag", "squad2")
"""Sets with a corpus."""
WRITTEN: Final = Path(__file__).with_name("gate_written")
"""Everyday requests, and a person's documents with questions about them, for each split."""
OFFICES: Final = {"train": ("harbour", "family", "software"), "dev": ("choir",)}
"""Written documents of a person or an organisation, with questions about them."""
COUNTS: Final = {
    "train": {"musique-step": 60, "nq_open": 80, "squad2": 50, "unanswerable": 50, "": 70},
    "dev": {"musique-step": 20, "nq_open": 30, "squad2": 25, "unanswerable": 50, "": 60},
}
"""Questions of a source at most; "" stands for every other set."""
UNANSWERABLE: Final = frozenset({"unanswerable", "null_query"})
"""Types of questions that the documents of their set do not answer."""
_OPEN: Final = frozenset(
    {"small-talk", "writing", "code", "opinion", "conversation", "translation"}
)
"""Kinds of everyday requests to which any sensible answer is right."""


def pool(sources: Sequence[Source], nq_open: Source, split: str) -> dict[str, list[Question]]:
    """The questions of a split by corpus.

    Args:
        sources: The question sets with a corpus. Questions that no passage is known to answer are
            left out, except those that the set itself calls unanswerable.
        nq_open: Natural Questions, without passages.
        split: train or dev. A train question is no held-out question, and no step of one.
    """
    guard = Guard([*sources, nq_open])
    counts = COUNTS[split]

    def choose(name: str, questions: Iterable[Question]) -> list[Question]:
        """The first so many in the order of the set."""
        free = (q for q in questions if split == "dev" or guard.allows_question(q.question))
        return list(islice(free, counts.get(name, counts[""])))

    found: dict[str, list[Question]] = {}
    for source in sources:
        asked = [q for q in source.of(split) if _answerable(q)]
        found[source.name] = choose(source.name, (_plain(source.name, q) for q in asked))
        if source.name == "musique":
            steps = choose("musique-step", (step for q in asked for step in _steps(q)))
            found[source.name] += steps
        unanswerable = (q for q in source.of(split) if q.type in UNANSWERABLE)
        found[source.name] += choose(
            "unanswerable", (_lacking(source.name, q) for q in unanswerable)
        )
    for office in OFFICES[split]:
        files = [WRITTEN / office / f"{name}.jsonl" for name in ("questions", "unanswerable")]
        found[office] = [q for file in files for q in _written(file, office, split)]
    known = set((WRITTEN / "known.txt").read_text().split())
    general = choose("nq_open", (_plain("nq_open", q) for q in nq_open.of(split)))
    everywhere = [
        q.model_copy(update={"needs_documents": False})
        for q in general
        if q.id.removeprefix("nq_open-") in known
    ]
    everywhere += _written(WRITTEN / f"{split}_everyday.jsonl", "everyday", split)
    names = list(found)
    for question in everywhere:
        at = [_digest(f"{name} {question.id}") for name in names]
        found[names[at.index(max(at))]].append(question)
    return {name: sorted(rows, key=lambda row: _digest(row.id)) for name, rows in found.items()}


def _digest(text: str) -> str:
    """Orders by hash, so that another corpus moves only the questions that it gets."""
    return hashlib.sha256(text.encode()).hexdigest()


def _answerable(question: Sourced) -> bool:
    """Whether the corpus is known to answer it."""
    known = question.type not in UNANSWERABLE and bool(question.supporting_ids)
    return known and bool(question.answer)


def _plain(source: str, question: Sourced) -> Question:
    return Question(
        id=f"{source}-{question.id}",
        question=question.question,
        answers=tuple(answer for answer in question.answers if answer.strip()),
        supporting_ids=question.supporting_ids,
        type=source,
        split=question.split,
    )


def _lacking(source: str, question: Sourced) -> Question:
    """A question that sounds as if the documents answered it."""
    return Question(
        id=f"{source}-{question.id}",
        question=question.question,
        needs_documents=True,
        type=f"{source}-unanswerable",
        split=question.split,
    )


def _steps(question: Sourced) -> Iterator[Question]:
    """MuSiQue's sub-questions that are sentences, with `#1` filled in."""
    answers: list[str] = []
    for number, step in enumerate(question.steps):
        text = step.question
        for place, answer in enumerate(answers, 1):
            text = text.replace(f"#{place}", answer)
        answers.append(step.answer)
        if ">>" in text or "#" in text or not step.answer:
            continue
        yield Question(
            id=f"musique-{question.id}-{number}",
            question=" ".join(text.split()),
            answers=(step.answer,),
            supporting_ids=(step.supporting_id,) if step.supporting_id else question.supporting_ids,
            type="musique-step",
            split=question.split,
        )


def _written(path: Path, source: str, split: str) -> Iterator[Question]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        asked_of_documents = row["kind"] in {"document", "unanswerable"}
        free = row["kind"] in _OPEN or not (row["answers"] or asked_of_documents)
        yield Question(
            id=row["id"],
            question=row["question"],
            answers=() if free else tuple(row["answers"]),
            supporting_ids=tuple(row.get("supporting_ids", ())),
            open=free,
            needs_documents=asked_of_documents,
            type=f"{source}-{row['kind']}",
            split=split,
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Write the pool and print what is in it."""
    parser = argparse.ArgumentParser(prog="python -m lab.gate_questions", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    for name in (*SETS, "nq_open"):
        if not (args.data / name).is_dir():
            print(f"{name}: skipped, there is no {args.data / name}", file=sys.stderr)
    sources = [read_source(args.data / name) for name in SETS if (args.data / name).is_dir()]
    nq_open = read_source(args.data / "nq_open")
    for split in ("train", "dev"):
        for name, questions in pool(sources, nq_open, split).items():
            folder = args.out / name
            folder.mkdir(parents=True, exist_ok=True)
            own = (args.data if name in SETS else WRITTEN) / name / "corpus.jsonl"
            if own.is_file():
                shutil.copyfile(own, folder / "corpus.jsonl")
            lines = (question.model_dump_json(exclude_defaults=True) for question in questions)
            write_file(folder / f"{split}.jsonl", "".join(f"{line}\n" for line in lines).encode())
            kinds = Counter(question.type.partition("-")[0] for question in questions)
            print(f"{name}/{split}: {len(questions)}, {dict(kinds)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
