"""Measure how well a chat model judges answers: 100 pairs, judged by hand.

    python -m lab.evaluation.judge_check --model openai:gpt-4.1-mini

The pairs are in `judge_pairs.jsonl` of this folder: a question, its gold answers, an answer
and a person's verdict. All are invented.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from hopyard.evaluation.judge import Finding, judge_answer, judge_context
from hopyard.measures.answers import score_answer
from hopyard.measures.bootstrap import Interval
from hopyard.measures.exact import clopper_pearson
from hopyard.nodes.lifecycle import new_run_id
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.prompts.judging.judge_answer import Verdict
from hopyard.state.errors import HopyardError, ModelOutputError
from hopyard.state.settings.sources import read_context

__all__ = ("Agreement", "Pair", "check_judge", "main", "read_pairs")


class Pair(BaseModel):
    """An answer that a person has judged."""

    model_config = ConfigDict(frozen=True)

    id: str
    question: str
    answers: tuple[str, ...]
    answer: str
    verdict: Verdict


class Disagreement(NamedTuple):
    """A pair that the judge judged otherwise than the person."""

    pair: Pair
    verdict: Verdict | None
    reason: str


class Agreement(NamedTuple):
    """How often a judge agrees with the person."""

    equivalent: Interval
    """On whether an answer is equivalent, which is what an evaluation counts."""
    verdict: Interval
    """On all three verdicts."""
    by_words: Interval
    """How often exact match agrees on whether an answer is equivalent."""
    disagreements: tuple[Disagreement, ...]


def read_pairs() -> list[Pair]:
    """The pairs judged by hand."""
    data = Path(__file__).with_name("judge_pairs.jsonl")
    lines = data.read_text(encoding="utf-8").splitlines()
    return [Pair.model_validate_json(line) for line in lines]


async def check_judge(run: Run, pairs: Sequence[Pair]) -> Agreement:
    """Let a judge judge the pairs. An unusable output counts as disagreement.

    Args:
        run: With the judge's model.
        pairs: At least one.

    Raises:
        ModelUnreachableError: The judge does not answer.
    """
    found = await asyncio.gather(*(_judge(run, pair) for pair in pairs))
    both = list(zip(pairs, found, strict=True))
    by_words = [score_answer(pair.answer, pair.answers)["em"] == 1 for pair in pairs]
    return Agreement(
        equivalent=_share(
            [_is_right(pair.verdict) == _is_right(each[0]) for pair, each in both if each[0]],
            len(pairs),
        ),
        verdict=_share([pair.verdict == each[0] for pair, each in both], len(pairs)),
        by_words=_share(
            [_is_right(pair.verdict) == same for pair, same in zip(pairs, by_words, strict=True)],
            len(pairs),
        ),
        disagreements=tuple(
            Disagreement(pair, *each) for pair, each in both if pair.verdict != each[0]
        ),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the agreement and every disagreement."""
    parser = argparse.ArgumentParser(
        prog="python -m lab.evaluation.judge_check",
        description="Measure how well a chat model judges answers, on 100 pairs judged by hand.",
    )
    parser.add_argument("--model", required=True, help="The judge, as in `hopyard eval --judge`.")
    parser.add_argument(
        "--concurrency", type=int, default=0, help="Model calls to run in parallel."
    )
    parser.add_argument("--timeout", type=float, default=120.0, help="Seconds of one call.")
    parser.add_argument("--record", type=Path, help="Record the calls in this folder.")
    parser.add_argument("--json", action="store_true", help="Print one JSON object.")
    options = parser.parse_args(arguments)
    try:
        flags = {"concurrency": options.concurrency, "timeout": options.timeout}
        context = judge_context(read_context(flags), options.model)
        with Resources() as resources, _recording(resources, options.record):
            run = Run(new_run_id(), context, resources)
            found = asyncio.run(check_judge(run, read_pairs()))
    except HopyardError as error:
        print(f"Error: {error}", file=sys.stderr)
        return error.exit_code
    print(_as_json(found) if options.json else _as_text(found))
    return 0


def _recording(resources: Resources, folder: Path | None) -> AbstractContextManager[None]:
    return resources.recording(folder) if folder else nullcontext()


async def _judge(run: Run, pair: Pair) -> tuple[Verdict | None, str]:
    try:
        found: Finding = await judge_answer(run, pair.question, pair.answers, pair.answer)
    except ModelOutputError as error:
        return None, str(error)
    return found.verdict, found.reason


def _is_right(verdict: Verdict | None) -> bool:
    return verdict == "equivalent"


def _share(agrees: Sequence[bool], n: int) -> Interval:
    return clopper_pearson(sum(agrees), n)


def _as_text(found: Agreement) -> str:
    lines = [
        f"equivalent or not: {_percent(found.equivalent)}",
        f"all three verdicts: {_percent(found.verdict)}",
        f"exact match instead of a judge: {_percent(found.by_words)}",
    ]
    for pair, verdict, reason in found.disagreements:
        lines += [
            "",
            f"{pair.id}: {pair.question}",
            f"  gold: {' | '.join(pair.answers)}",
            f"  answer: {pair.answer}",
            f"  by hand {pair.verdict}, judged {verdict or 'not at all'}: {reason}",
        ]
    return "\n".join(lines)


def _percent(share: Interval) -> str:
    return f"{100 * share.mean:.0f} % [{100 * share.low:.0f}, {100 * share.high:.0f}]"


def _as_json(found: Agreement) -> str:
    return json.dumps(
        {
            "equivalent": found.equivalent._asdict(),
            "verdict": found.verdict._asdict(),
            "by_words": found.by_words._asdict(),
            "disagreements": [
                {"id": pair.id, "by_hand": pair.verdict, "judged": verdict, "reason": reason}
                for pair, verdict, reason in found.disagreements
            ],
        },
        ensure_ascii=False,
    )


if __name__ == "__main__":
    sys.exit(main())
