"""What a trace is made of. The renderers know nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hopyard.models.ledger import Use

__all__ = (
    "Cost",
    "Fact",
    "Found",
    "PassageText",
    "Quote",
    "Thrown",
    "Trace",
    "TraceStep",
    "cost_of",
)


@dataclass(frozen=True)
class Cost:
    """What some model calls took. Those that the ledger answered cost nothing."""

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.calls + other.calls,
            self.cached + other.cached,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.seconds + other.seconds,
        )

    def __str__(self) -> str:
        if not self.calls:
            return f"{self.cached} from the ledger" if self.cached else ""
        ledger = f", {self.cached} from the ledger" if self.cached else ""
        calls = "1 call" if self.calls == 1 else f"{self.calls} calls"
        tokens = f"{self.input_tokens:,} → {self.output_tokens:,} tokens"
        return f"{calls}{ledger}, {tokens}, {self.seconds:.1f} s"


def cost_of(uses: Sequence[Use]) -> Cost:
    """The cost of some uses of model calls."""
    paid = [use.entry for use in uses if not use.cached]
    return Cost(
        calls=len(paid),
        cached=len(uses) - len(paid),
        input_tokens=sum(one.input_tokens for one in paid),
        output_tokens=sum(one.output_tokens for one in paid),
        seconds=sum(one.seconds for one in paid),
    )


@dataclass(frozen=True)
class Fact:
    """One thing that was measured or judged: a score, a probability, a count."""

    name: str
    value: str


@dataclass(frozen=True)
class Found:
    """A passage that a step found or kept."""

    passage_id: str
    score: float


@dataclass(frozen=True)
class Thrown:
    """A sub-question, or a whole decomposition, that was thrown away."""

    question: str
    answer: str
    reason: str


@dataclass(frozen=True)
class TraceStep:
    """One step of the reasoning.

    Attributes:
        id: Its name in this trace.
        kind: gate, route, tree-node, hop, round, read, …
        title: What it was about: the question, or what was done.
        answer: What came of it; "" where it gave no answer.
        verdict: leaf, split, pruned, open, failed, necessary, …; "" where nothing was judged.
        reason: Why.
        uses: The model calls made in it.
        head: The passage that a hop reached.
        tail: The passage that it came from.
        children: The steps below it.
    """

    id: str
    kind: str
    title: str
    answer: str = ""
    verdict: str = ""
    reason: str = ""
    facts: tuple[Fact, ...] = ()
    passages: tuple[Found, ...] = ()
    thrown: tuple[Thrown, ...] = ()
    uses: tuple[Use, ...] = ()
    head: str = ""
    tail: str = ""
    children: tuple[TraceStep, ...] = ()

    @property
    def cost(self) -> Cost:
        """What the step itself took, without those below it."""
        return cost_of(self.uses)

    @property
    def whole_cost(self) -> Cost:
        """What the step and all below it took."""
        return sum((one.whole_cost for one in self.children), self.cost)

    def walk(self) -> Iterator[TraceStep]:
        """The step and all below it, each before those below it."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Quote:
    """Where a quoted sentence stands in a passage's text."""

    begin: int
    end: int


@dataclass(frozen=True)
class PassageText:
    """A passage that a step speaks of.

    Attributes:
        text: None where the index is gone, or no longer has the passage.
        quotes: The cited sentences in it, in order, none over another.
        score: The score under which the answer was read from it; None where it was not.
    """

    passage_id: str
    title: str
    text: str | None
    quotes: tuple[Quote, ...] = ()
    score: float | None = None


@dataclass(frozen=True)
class Trace:
    """The last question of a thread.

    Attributes:
        asked: The question as it was typed, where it was rewritten to stand alone; else "".
        waits_for: The nodes that come next: none of a finished thread.
        notes: What the reader has to know: the index is gone, the budget was used up.
        conversation: What was said before, as (who, text).
    """

    thread_id: str
    question: str
    asked: str
    answer: str
    strategy: str
    waits_for: tuple[str, ...]
    steps: tuple[TraceStep, ...]
    passages: Mapping[str, PassageText]
    cost: Cost
    seconds: float
    notes: tuple[str, ...] = ()
    conversation: tuple[tuple[str, str], ...] = field(default_factory=tuple)

    @property
    def finished(self) -> bool:
        """Whether the question is answered."""
        return not self.waits_for

    def walk(self) -> Iterator[TraceStep]:
        """Every step, a step before those below it."""
        for step in self.steps:
            yield from step.walk()
