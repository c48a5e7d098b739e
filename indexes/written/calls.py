"""Who wrote the texts of an index, and what the model calls cost: parts of a kind's statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Self

from pydantic import BaseModel, ConfigDict

from hopyard.indexes.build_context import BuildOptions
from hopyard.indexes.written.store import Author
from hopyard.models.ledger import ParseRate

__all__ = ("AuthorShare", "WritingCalls", "add_calls", "author_shares", "calls_so_far")


class _Counts(BaseModel):
    model_config = ConfigDict(frozen=True)


class AuthorShare(_Counts):
    """How many passages one version of the prompt and one model wrote for."""

    version: int
    model: str
    passages: int


class WritingCalls(_Counts):
    """What one prompt cost at one model, and how often its output fitted the schema."""

    prompt: str
    version: int
    model: str
    calls: int
    parsed: int
    repaired: int
    failed: int
    input_tokens: int
    output_tokens: int
    seconds: float

    @classmethod
    def of(cls, rate: ParseRate) -> Self:
        """The ledger's counts as plain values."""
        return cls(**asdict(rate))

    def plus(self, other: Self) -> Self:
        """The sums of the counts of two, for the same prompt and model."""
        names = type(self).model_fields.keys() - {"prompt", "version", "model"}
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return self.model_copy(update=sums)

    @property
    def rate(self) -> float:
        """Share of outputs that fitted, repaired ones included; 1.0 for no call."""
        return (self.parsed + self.repaired) / self.calls if self.calls else 1.0


def author_shares(authors: Iterable[Author]) -> tuple[AuthorShare, ...]:
    """Count the authors of all passages, in the order of prompt version and model."""
    return tuple(
        AuthorShare(version=author.version, model=author.model, passages=count)
        for author, count in sorted(Counter(authors).items())
    )


def calls_so_far(
    options: BuildOptions, before: tuple[WritingCalls, ...], runs: Sequence[str]
) -> tuple[WritingCalls, ...]:
    """What an index paid for, over all its builds and those that were killed.

    Args:
        options: The options of the build, whose ledger is read.
        before: What the last generation had counted.
        runs: The runs since then.
    """
    if options.open_caller is None or not runs:  # then the model stays closed
        return before
    ledger = options.caller.ledger
    return add_calls(before, (rate for run in runs for rate in ledger.parse_rates(run)))


def add_calls(
    before: Iterable[WritingCalls], more: Iterable[ParseRate]
) -> tuple[WritingCalls, ...]:
    """Totals by prompt, version and model."""
    totals: dict[tuple[str, int, str], WritingCalls] = {}
    for calls in (*before, *(WritingCalls.of(rate) for rate in more)):
        key = (calls.prompt, calls.version, calls.model)
        totals[key] = totals[key].plus(calls) if key in totals else calls
    return tuple(total for _, total in sorted(totals.items()))
