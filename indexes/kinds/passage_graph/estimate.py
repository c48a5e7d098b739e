"""What the questions of a corpus would cost, told before anything but a sample is spent.

A few passages are asked for in earnest, and the ledger keeps their answers, so the build does not
pay for them again. They are taken from all lengths, since it is the length of a passage that
decides what reading it costs. The index is not touched.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Final
from uuid import uuid4

from pydantic import BaseModel, ConfigDict

from hopyard.indexes.chunking import Chunker
from hopyard.indexes.kinds.passage_graph.question_store import QUESTIONS_FILE, QuestionStore
from hopyard.indexes.kinds.passage_graph.writing import asking_context, author_of, questions_of
from hopyard.indexes.records import Document, Passage
from hopyard.models.call import model_caller
from hopyard.models.ledger import ParseRate
from hopyard.prompts.passage_graph import QUESTIONS
from hopyard.state.errors import CorpusError, ModelOutputError
from hopyard.state.settings import Context

__all__ = ("SAMPLE", "Estimate", "estimate")

SAMPLE: Final = 4
"""Passages asked for: one from each quarter of the lengths."""


class Estimate(BaseModel):
    """What a build would spend on questions."""

    model_config = ConfigDict(frozen=True)

    model: str
    passages: int
    """Passages that the documents give."""
    unwritten: int
    """Those among them, of different content, that have no questions by this model yet."""
    sampled: int
    """Passages asked for to learn what one costs; their answers are in the ledger."""
    failed: int
    """Sampled passages of which nothing usable came."""
    spent_calls: int
    """Model calls that the sample took; none where the ledger knew the answers."""
    model_calls: int
    """Calls still to be paid for; what the ledger knows already costs nothing."""
    input_tokens: int
    output_tokens: int
    seconds: float
    """Time for the calls, as many at once as the model takes."""


def estimate(
    documents: Iterable[Document], *, directory: Path, chunker: Chunker, context: Context
) -> Estimate:
    """Estimate what writing the questions of these documents would cost.

    Args:
        documents: The whole corpus.
        directory: The index directory, which need not exist; it is only read.
        chunker: Cuts documents into passages as the build would.
        context: Model and graph settings of the build.

    Raises:
        ModelUnreachableError: The model does not answer.
        BudgetExceededError: The budget does not allow the sample.
    """
    found, passages = _contents(documents, chunker)
    for content_hash in _written(directory, context):
        found.pop(content_hash, None)
    sample = _sample(list(found.values()))
    run = f"passage-graph-estimate/{uuid4().hex}"
    failed = asyncio.run(_ask(sample, context, run))
    spent, cost = _cost(context, run)
    left = max(0, len(found) - len(sample))
    calls = math.ceil(left * _calls_a_passage(spent, len(sample)))
    caller = model_caller(context.model)
    at_once = min(context.concurrency or caller.provider.concurrency, max(calls, 1))
    return Estimate(
        model=caller.provider.identity,
        passages=passages,
        unwritten=len(found),
        sampled=len(sample),
        failed=failed,
        spent_calls=spent.calls if spent else 0,
        model_calls=calls,
        input_tokens=round(calls * cost.input_tokens / cost.calls) if cost else 0,
        output_tokens=round(calls * cost.output_tokens / cost.calls) if cost else 0,
        seconds=round(calls * cost.seconds / cost.calls / at_once, 1) if cost else 0.0,
    )


def _contents(documents: Iterable[Document], chunker: Chunker) -> tuple[dict[str, Passage], int]:
    """A passage of each content, and how many passages there are in all."""
    found: dict[str, Passage] = {}
    count = 0
    for document in documents:
        try:
            passages = chunker.split(document)
        except CorpusError:  # the build will leave it out, and say so
            continue
        count += len(passages)
        for passage in passages:
            found.setdefault(passage.content_hash, passage)
    return found, count


def _written(directory: Path, context: Context) -> list[str]:
    """Contents that this model has written for."""
    if not (directory / QUESTIONS_FILE).exists():
        return []
    author = author_of(context)
    with QuestionStore(directory) as store:
        return [content for content, other in store.authors().items() if other == author]


def _sample(passages: list[Passage]) -> list[Passage]:
    """The passage in the middle of each quarter, when they are put in order of length."""
    passages.sort(key=lambda passage: (len(passage.text), passage.content_hash))
    count = min(SAMPLE, len(passages))
    return [passages[(2 * part + 1) * len(passages) // (2 * count)] for part in range(count)]


async def _ask(sample: list[Passage], context: Context, run: str) -> int:
    """Ask for the questions of some passages; how many gave nothing usable."""
    asking = asking_context(context)
    answers = await asyncio.gather(
        *(questions_of(passage, context=asking, run=run) for passage in sample),
        return_exceptions=True,
    )
    errors = [answer for answer in answers if isinstance(answer, BaseException)]
    for error in errors:
        if not isinstance(error, ModelOutputError):
            raise error
    return len(errors)


def _cost(context: Context, run: str) -> tuple[ParseRate | None, ParseRate | None]:
    """What the sample paid for, and what calls cost on average.

    Where the ledger knew the sample's answers, the average is over all that it knows.
    """
    ledger, author = model_caller(context.model).ledger, author_of(context)

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
