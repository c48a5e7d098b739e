"""Sort wrong answers by the step that went wrong.

    python -m lab.evaluation.sort_failures OUT --strategies tree,hop --limit 20

Prints each answer with its evidence and steps and a first guess, and writes OUT/failures.json,
which the next report includes. `--by-hand FILE` corrects guesses:
{"tree": {"QUESTION_ID": "reading"}}.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from hopyard.evaluation.plan import INFO_FILE, RunInfo
from hopyard.evaluation.records import RECORDS_FILE, Record, read_records
from hopyard.indexes.index import Index
from hopyard.state.errors import HopyardError, UsageError
from hopyard.state.schemas import passage_ids
from hopyard.state.storage.atomic import write_file
from lab.evaluation.wrong import STEPS, Guess, guess, is_wrong

__all__ = ("Case", "format_case", "main", "sort_wrong_answers")

_TEXT_SHOWN: Final = 300
_STEP_HEAD: Final = frozenset({"id", "kind", "parent", "title", "passages"})
"""Fields of a step that are not listed by name."""


class Case(BaseModel):
    """A sorted wrong answer."""

    question_id: str
    step: str
    by: str
    """rule or hand."""
    reason: str


ByHand = Mapping[str, Mapping[str, str]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the cases, write the counts."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.evaluation.sort_failures",
        description="Sort wrong answers by the step that went wrong.",
    )
    parser.add_argument("folder", type=Path, help="what `hopyard eval --out` wrote")
    parser.add_argument("--strategies", default="tree,hop")
    parser.add_argument("--limit", type=int, default=20, help="of each strategy; 0 is all")
    parser.add_argument("--by-hand", type=Path, help="a JSON file of corrections")
    parser.add_argument("--quiet", action="store_true", help="only write the counts")
    options = parser.parse_args(arguments)
    try:
        records = read_records(options.folder / RECORDS_FILE)
        if not records:
            raise UsageError(f"There are no records in {str(options.folder)!r}; run the eval.")
        by_hand = read_by_hand(options.by_hand) if options.by_hand else {}
        names = [name.strip() for name in options.strategies.split(",")]
        cases = {
            name: sort_wrong_answers(records, name, options.limit, by_hand.get(name, {}))
            for name in names
        }
        if not options.quiet:
            _print(options.folder, records, cases)
        _save(options.folder, records, cases)
    except HopyardError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_code
    return 0


def sort_wrong_answers(
    records: Iterable[Record], strategy: str, limit: int, by_hand: Mapping[str, str]
) -> list[Case]:
    """The first wrong answers of a strategy, in the order of their question's ids.

    Args:
        records: Of all strategies: some guesses compare.
        strategy: Whose wrong answers.
        limit: At most this many; 0 is all.
        by_hand: A person's corrections: steps by question id.
    """
    by_question: dict[str, dict[str, Record]] = {}
    for record in records:
        by_question.setdefault(record.question_id, {})[record.strategy] = record
    wrong = [
        others
        for _, others in sorted(by_question.items())
        if strategy in others and is_wrong(others[strategy])
    ]
    cases = []
    for others in wrong[: limit or None]:
        record = others[strategy]
        found: Guess = guess(record, others)
        step = by_hand.get(record.question_id)
        cases.append(
            Case(
                question_id=record.question_id,
                step=step or found.step,
                by="hand" if step else "rule",
                reason=found.reason,
            )
        )
    return cases


def read_by_hand(path: Path) -> ByHand:
    """Read a person's corrections.

    Raises:
        UsageError: The file does not have that form, or names an unknown step.
    """
    try:
        found = _ByHand.model_validate({"steps": json.loads(path.read_text(encoding="utf-8"))})
    except (OSError, ValueError, ValidationError) as error:
        raise UsageError(f"The file {str(path)!r} cannot be read: {error}.") from error
    for steps in found.steps.values():
        if unknown := set(steps.values()) - set(STEPS):
            raise UsageError(
                f"{path}: {min(unknown)!r} is not a step; the steps are {', '.join(STEPS)}."
            )
    return found.steps


class _ByHand(BaseModel):
    steps: dict[str, dict[str, str]]


def format_case(record: Record, case: Case, texts: Mapping[str, str]) -> str:
    """Format a case with its evidence, steps and failures.

    Args:
        record: The wrong answer.
        case: How it was sorted.
        texts: The text of documents by id; may lack some.
    """
    read = {passage.document_id for passage in record.evidence}
    lines = [
        f"── {record.strategy} {record.question_id} ({record.type or 'no type'}) → {case.step} "
        f"(by {case.by}: {case.reason})",
        f"question  {record.question}",
        f"gold      {' | '.join(record.gold)}",
        f"answer    {record.answer or '(none)'}   f1 {record.f1:.2f}",
    ]
    for document in record.supporting_ids:
        mark = "read   " if document in read else "not read"
        lines.append(f"gold doc  {mark} {document}: {texts.get(document, '')[:_TEXT_SHOWN]}")
    lines += [f"read      {passage.document_id} {passage.title}" for passage in record.evidence]
    lines += [f"step      {_step(step)}" for step in record.steps]
    lines += [f"failure   {failure}" for failure in record.failures]
    return "\n".join(lines)


def _step(step: Mapping[str, Any]) -> str:
    passages = passage_ids(step.get("passages", ()))
    rest = {key: value for key, value in step.items() if key not in _STEP_HEAD and value}
    told = ", ".join(f"{key}: {value}" for key, value in rest.items())
    return f"{step['kind']} {told}" + (f" [{' '.join(passages)}]" if passages else "")


def _print(folder: Path, records: Iterable[Record], cases: Mapping[str, Sequence[Case]]) -> None:
    by_key = {(record.strategy, record.question_id): record for record in records}
    texts = _texts(folder)
    for name, sorted_cases in cases.items():
        for case in sorted_cases:
            print(format_case(by_key[name, case.question_id], case, texts), end="\n\n")
        counts = Counter(case.step for case in sorted_cases)
        print(f"{name}: " + ", ".join(f"{step} {counts[step]}" for step in STEPS), end="\n\n")


def _texts(folder: Path) -> dict[str, str]:
    """The beginning of every document of the index; empty if the index is gone."""
    try:
        info = RunInfo.model_validate_json((folder / INFO_FILE).read_bytes())
        with Index.open(Path(info.index)) as index:
            texts: dict[str, str] = {}
            for passage in index.corpus.passages():
                texts.setdefault(passage.document_id, f"{passage.title}: {passage.text}")
            return texts
    except (OSError, ValidationError, HopyardError):
        return {}


def _save(folder: Path, records: Iterable[Record], cases: Mapping[str, Sequence[Case]]) -> None:
    latest = {(record.strategy, record.question_id): record for record in records}
    wrong = Counter(name for (name, _), record in latest.items() if is_wrong(record))
    found = {
        name: {
            "wrong": wrong[name],
            "sorted": len(sorted_cases),
            "by_hand": sum(case.by == "hand" for case in sorted_cases),
            "counts": _counts(sorted_cases),
            "cases": [case.model_dump() for case in sorted_cases],
        }
        for name, sorted_cases in cases.items()
    }
    text = json.dumps({"strategies": found}, indent=1, ensure_ascii=False)
    write_file(folder / "failures.json", text.encode() + b"\n")


def _counts(cases: Iterable[Case]) -> dict[str, int]:
    counts = Counter(case.step for case in cases)
    return {step: counts[step] for step in STEPS}


if __name__ == "__main__":
    sys.exit(main())
