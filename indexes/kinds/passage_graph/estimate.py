"""What the questions of a corpus would cost, told before anything but a sample is spent.

The model is asked about a few passages, and the ledger keeps its answers, so the build does not
pay for them again. The passages are of all lengths, since the length of a passage decides what
reading it costs. The index is not touched.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final
from uuid import uuid4

from hopyard.indexes.build_context import BuildOptions
from hopyard.indexes.kind import Estimate
from hopyard.indexes.kinds.passage_graph.question_store import (
    QUESTIONS_FILE,
    Author,
    QuestionStore,
)
from hopyard.indexes.kinds.passage_graph.writing import asking_settings, author_of, questions_of
from hopyard.indexes.records import Passage
from hopyard.indexes.threads import in_thread
from hopyard.models.ledger import Ledger, ParseRate
from hopyard.prompts.passage_graph import QUESTIONS
from hopyard.state.errors import ModelOutputError

__all__ = ("SAMPLE", "estimate")

SAMPLE: Final = 4
"""Passages asked for: one from each quarter of the lengths."""


async def estimate(
    passages: Sequence[Passage], index_directory: Path, options: BuildOptions
) -> Estimate:
    """Estimate what writing the questions of a corpus would cost.

    Args:
        passages: All passages of the corpus.
        index_directory: The index directory, which need not exist; it is only read.
        options: Model and settings of the build.

    Raises:
        ModelUnreachableError: The model does not answer.
        BudgetExceededError: The budget does not allow the sample.
    """
    author = await in_thread(author_of, options)
    unwritten = {passage.content_hash: passage for passage in reversed(passages)}
    for content_hash in await in_thread(_written, index_directory, author):
        unwritten.pop(content_hash, None)
    sample = _sample(list(unwritten.values()))
    run = f"passage-graph-estimate/{uuid4().hex}"
    failed = await _ask(sample, options, author, run)
    spent, cost = await in_thread(_cost, options.caller.ledger, author, run)
    left = max(0, len(unwritten) - len(sample))
    calls = math.ceil(left * _calls_a_passage(spent, len(sample)))
    at_once = min(options.places, max(calls, 1))
    return Estimate(
        model=author.model,
        spent_calls=spent.calls if spent else 0,
        model_calls=calls,
        input_tokens=round(calls * cost.input_tokens / cost.calls) if cost else 0,
        output_tokens=round(calls * cost.output_tokens / cost.calls) if cost else 0,
        seconds=round(calls * cost.seconds / cost.calls / at_once, 1) if cost else 0.0,
        basis=f"{len(unwritten):,} contents have no questions yet; {len(sample)} of them were "
        f"asked about, and {failed} gave nothing usable",
        details={"unwritten": len(unwritten), "sampled": len(sample), "failed": failed},
    )


def _written(directory: Path, author: Author) -> list[str]:
    """Contents that this author has written for."""
    if not (directory / QUESTIONS_FILE).exists():
        return []
    with QuestionStore(directory) as store:
        return [content for content, other in store.authors().items() if other == author]


def _sample(passages: list[Passage]) -> list[Passage]:
    """The passage in the middle of each quarter, when they are put in order of length."""
    passages.sort(key=lambda passage: (len(passage.text), passage.content_hash))
    count = min(SAMPLE, len(passages))
    return [passages[(2 * part + 1) * len(passages) // (2 * count)] for part in range(count)]


async def _ask(sample: list[Passage], options: BuildOptions, author: Author, run: str) -> int:
    """Ask for the questions of some passages; how many gave nothing usable."""
    call = options.calls_of(run, asking_settings(options.settings))
    answers = await asyncio.gather(
        *(
            questions_of(passage, call=call, author=author, settings=options.settings)
            for passage in sample
        ),
        return_exceptions=True,
    )
    errors = [answer for answer in answers if isinstance(answer, BaseException)]
    for error in errors:
        if not isinstance(error, ModelOutputError):
            raise error
    return len(errors)


def _cost(ledger: Ledger, author: Author, run: str) -> tuple[ParseRate | None, ParseRate | None]:
    """What the sample paid for, and what calls cost on average.

    Where the ledger knew the sample's answers, the average is over all that it knows.
    """

    def of(rates: Iterable[ParseRate]) -> ParseRate | None:
        for rate in rates:
            if (rate.prompt, rate.version, rate.model) == (QUESTIONS.name, *author):
                return rate
        return None

    spent = of(ledger.parse_rates(run))
    return spent, spent or of(ledger.parse_rates())


def _calls_a_passage(spent: ParseRate | None, sampled: int) -> float:
    """One call a passage, or more where the sample had to be asked again."""
    return max(1.0, spent.calls / sampled) if spent and sampled else 1.0
