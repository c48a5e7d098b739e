"""Collect the questions that the shipped gate is trained on.

    python -m lab.gate_questions DATA --out POOL

reads the folders nq_open, squad2, hotpotqa and musique of DATA (`lab/README.md` describes them; a
missing folder is skipped with a message) and writes to POOL:

- `train.jsonl` and `dev.jsonl`: questions with answers, including the written questions that need
  no document (`lab/gate_written`); the `type` of a question names its source;
- `corpus.jsonl`: the passages of all sets, for one index;
- `text.jsonl`: train questions and sentences, without the passages that answer held-out questions,
  for the gate's vocabulary.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from hopyard.measures.questions import Question
from hopyard.state.atomic import write_file
from lab.gate_written.questions import written_questions
from lab.sources import Guard, Source, read_source
from lab.sources import Question as Sourced

__all__ = ("SETS", "main", "pool_questions", "vocabulary_text")

SETS: Final = ("nq_open", "squad2", "hotpotqa", "musique")
NQ_TRAIN: Final = 500
NQ_DEV: Final = 150
"""There are thousands of Natural Questions; these limits keep them at a third of the pool."""
SEED: Final = 5
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_SHORTEST: Final = 20
"""Characters of a sentence at least; shorter pieces are initials and abbreviations."""


def pool_questions(
    sources: Sequence[Source], split: str, *, nq_open: int, seed: int = SEED
) -> list[Question]:
    """The questions of one split, in a seeded order.

    Unanswerable questions are left out, because they have no gold answer. A train question that
    is also a held-out question, or a step of one, is left out too.

    Args:
        sources: The question sets.
        split: train or dev.
        nq_open: Questions taken from Natural Questions at most.
        seed: Of that choice and of the order.
    """
    rng = random.Random(f"{seed} {split}")
    guard = Guard(sources)
    found: dict[str, Question] = {}
    for source in sources:
        questions = list(_of(source, split))
        if source.name == "nq_open":
            questions = rng.sample(questions, min(nq_open, len(questions)))
        for question in questions:
            if split == "dev" or guard.allows_question(question.question):
                found.setdefault(question.question.lower(), question)
    for made in written_questions():
        if made.split == split:
            question = _question(
                made.id, made.question, made.answers, (), f"written-{made.kind}", split
            )
            found.setdefault(made.question.lower(), question)
    chosen = list(found.values())
    rng.shuffle(chosen)
    return chosen


def vocabulary_text(sources: Sequence[Source]) -> Iterator[str]:
    """Questions and sentences for the gate's vocabulary, without those of held-out questions.

    Sentences, because they are about as long as questions.
    """
    guard = Guard(sources)
    for source in sources:
        for question in source.of("train"):
            if guard.allows_question(question.question):
                yield question.question
        for passage in source.passages.values():
            if guard.allows(passage):
                yield from (
                    sentence
                    for sentence in _SENTENCE.split(passage.text)
                    if len(sentence) > _SHORTEST
                )
    for made in written_questions():
        if made.split == "train":
            yield made.question


def _of(source: Source, split: str) -> Iterator[Question]:
    for question in source.of(split):
        answers = tuple(answer for answer in question.answers if answer.strip())
        if question.type == "unanswerable" or not answers:
            continue
        if source.name == "musique":
            yield from _steps(question)
        else:
            name = f"{source.name}-{question.id}"
            yield _question(
                name,
                question.question,
                answers,
                question.supporting_ids,
                source.name,
                question.split,
            )


def _steps(sourced: Sourced) -> Iterator[Question]:
    """MuSiQue's sub-questions that are sentences, with `#1` filled in."""
    answers: list[str] = []
    for number, step in enumerate(sourced.steps):
        text = step.question
        for place, answer in enumerate(answers, 1):
            text = text.replace(f"#{place}", answer)
        answers.append(step.answer)
        if ">>" in text or "#" in text or not step.answer:
            continue
        supporting = (step.supporting_id,) if step.supporting_id else sourced.supporting_ids
        yield _question(
            f"musique-{sourced.id}-{number}", " ".join(text.split()), (step.answer,), supporting,
            "musique-step", sourced.split,
        )  # fmt: skip


def _question(
    name: str,
    question: str,
    answers: tuple[str, ...],
    supporting: tuple[str, ...],
    kind: str,
    split: str,
) -> Question:
    return Question(
        id=name, question=question, answers=answers, supporting_ids=supporting, type=kind,
        split=split,
    )  # fmt: skip


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_file(path, lines.encode("utf-8", "surrogatepass"))


def _rows(questions: Iterable[Question]) -> Iterator[dict[str, Any]]:
    for question in questions:
        yield question.model_dump(mode="json", exclude={"steps", "decomposition"})


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments and write the pool."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--nq-train", type=int, default=NQ_TRAIN)
    parser.add_argument("--nq-dev", type=int, default=NQ_DEV)
    options = parser.parse_args(arguments)
    sources = [read_source(options.data / name) for name in SETS]
    for source in sources:
        if not source.questions:
            print(f"{source.name}: not in {options.data}, skipped", file=sys.stderr)
    options.out.mkdir(parents=True, exist_ok=True)
    for split, count in (("train", options.nq_train), ("dev", options.nq_dev)):
        questions = pool_questions(sources, split, nq_open=count)
        _write(options.out / f"{split}.jsonl", _rows(questions))
        print(f"{split}: {len(questions)} questions, {dict(Counter(q.type for q in questions))}")
    passages = {passage.id: passage for source in sources for passage in source.passages.values()}
    corpus = ({"id": p.id, "title": p.title, "text": p.text} for p in passages.values())
    _write(options.out / "corpus.jsonl", corpus)
    text = [{"text": line} for line in vocabulary_text(sources)]
    _write(options.out / "text.jsonl", text)
    print(f"corpus: {len(passages)} passages; text: {len(text)} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
