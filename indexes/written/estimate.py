"""Estimate the cost of a writer's calls about a corpus from a sample.

The model is asked about a few passages, and the ledger keeps its answers, so the build does not
pay for them again. The passages are of all lengths, since the length of a passage decides what
reading it costs. The index is not touched.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar
from uuid import uuid4

from hopyard.indexes.build_context import BuildOptions
from hopyard.indexes.corpus.threads import in_thread
from hopyard.indexes.kind import Estimate
from hopyard.indexes.written.store import Author
from hopyard.indexes.written.writer import Writer
from hopyard.models.ledger import Ledger, ParseRate
from hopyard.state.errors import ModelOutputError


class _Source(Protocol):
    """A source, such as a passage."""

    @property
    def content_hash(self) -> str: ...

    @property
    def text(self) -> str: ...


SourceT = TypeVar("SourceT", bound=_Source)

SAMPLE: Final = 4
"""Sources asked about: one from each quarter of the lengths."""


async def estimate_writing(
    writer: Writer[SourceT, Any],
    passages: Sequence[SourceT],
    index_directory: Path,
    options: BuildOptions,
    *,
    expected: int | None = None,
) -> Estimate:
    """Estimate what a writer's calls about the passages of a corpus would cost.

    Args:
        passages: All sources, such as the passages of the corpus.
        index_directory: The index directory, which need not exist; it is only read.
        expected: How many sources a build has, if those given only stand for them. The build then
            asks about none of the sample.
    """
    author = await in_thread(writer.author, options)
    unwritten = {passage.content_hash: passage for passage in reversed(passages)}
    for content_hash, other in (await in_thread(_authors, writer, index_directory)).items():
        if options.keep or other == author:
            unwritten.pop(content_hash, None)
    sample = _sample(list(unwritten.values()))
    run = f"{writer.prompt.name}-estimate/{uuid4().hex}"
    failed = await _ask(writer, sample, options, run)
    identity = options.caller.provider.identity
    asked = writer.prompt.name, author.version, identity
    spent, cost = await in_thread(_cost, options.caller.ledger, asked, run)
    left = len(unwritten) - len(sample) if expected is None else expected
    calls = math.ceil(left * _calls_a_passage(spent, len(sample)))
    at_once = min(options.places, max(calls, 1))
    return Estimate(
        model=identity,
        spent_calls=spent.calls if spent else 0,
        model_calls=calls,
        input_tokens=round(calls * cost.input_tokens / cost.calls) if cost else 0,
        output_tokens=round(calls * cost.output_tokens / cost.calls) if cost else 0,
        seconds=round(calls * cost.seconds / cost.calls / at_once, 1) if cost else 0.0,
        basis=f"{len(unwritten):,} contents have no {writer.written} yet; {len(sample)} of them "
        f"were asked about, and {failed} gave nothing usable",
        details={"unwritten": len(unwritten), "sampled": len(sample), "failed": failed},
    )


def _authors(writer: Writer[SourceT, Any], directory: Path) -> dict[str, Author]:
    """Who wrote for each content that has a row."""
    if not (directory / writer.store.file_name).exists():
        return {}
    with writer.store(directory) as store:
        return store.authors()


def _sample(passages: list[SourceT]) -> list[SourceT]:
    """The passage in the middle of each quarter, when they are put in order of length."""
    passages.sort(key=lambda passage: (len(passage.text), passage.content_hash))
    count = min(SAMPLE, len(passages))
    return [passages[(2 * part + 1) * len(passages) // (2 * count)] for part in range(count)]


async def _ask(
    writer: Writer[SourceT, Any], sample: list[SourceT], options: BuildOptions, run: str
) -> int:
    """Ask about some passages; how many gave nothing usable."""
    call = options.calls_of(run, writer.asking)
    answers = await asyncio.gather(
        *(writer.write(passage, call) for passage in sample), return_exceptions=True
    )
    errors = [answer for answer in answers if isinstance(answer, BaseException)]
    for error in errors:
        if not isinstance(error, ModelOutputError):
            raise error
    return len(errors)


def _cost(
    ledger: Ledger, asked: tuple[str, int, str], run: str
) -> tuple[ParseRate | None, ParseRate | None]:
    """The calls that the sample paid for, and the calls that give the average cost.

    Args:
        asked: Name and version of the prompt, and the model.

    Where the ledger knew the sample's answers, the average is over all that it knows.
    """

    def of(rates: Iterable[ParseRate]) -> ParseRate | None:
        for rate in rates:
            if (rate.prompt, rate.version, rate.model) == asked:
                return rate
        return None

    spent = of(ledger.parse_rates(run))
    return spent, spent or of(ledger.parse_rates())


def _calls_a_passage(spent: ParseRate | None, sampled: int) -> float:
    """One call a passage, or more where the sample had to be asked again."""
    return max(1.0, spent.calls / sampled) if spent and sampled else 1.0
