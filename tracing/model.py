"""The data model of a trace. Code that draws a trace knows nothing else."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hopyard.models.ledger import Use
from hopyard.state.references import name_sources
from hopyard.state.schemas import Citation, Evidence, Source, Step
from hopyard.state.text.counting import counted
from hopyard.state.usage import about
from hopyard.tracing.describe import Names


@dataclass(frozen=True)
class Cost:
    """The cost of some model calls. Those that the ledger answered cost nothing."""

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    estimated: int = 0
    """Calls whose tokens are estimated."""

    @property
    def about(self) -> str:
        """The word before the counts of tokens."""
        return about({"estimated_calls": self.estimated})

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.calls + other.calls,
            self.cached + other.cached,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.seconds + other.seconds,
            self.estimated + other.estimated,
        )

    def __str__(self) -> str:
        if not self.calls:
            return f"{self.cached} from the ledger" if self.cached else ""
        ledger = f", {self.cached} from the ledger" if self.cached else ""
        tokens = f"{self.about}{self.input_tokens:,} → {counted(self.output_tokens, 'token')}"
        return f"{counted(self.calls, 'call')}{ledger}, {tokens}, {self.seconds:.1f} s"


def cost_of(uses: Sequence[Use]) -> Cost:
    """The cost of some uses of model calls."""
    paid = [use.entry for use in uses if not use.cached]
    return Cost(
        calls=len(paid),
        cached=len(uses) - len(paid),
        input_tokens=sum(entry.input_tokens for entry in paid),
        output_tokens=sum(entry.output_tokens for entry in paid),
        seconds=sum(entry.seconds for entry in paid),
        estimated=sum(entry.estimated for entry in paid),
    )


@dataclass(frozen=True)
class TraceStep:
    """One step of the reasoning, in its place.

    Attributes:
        id: The step's own id, without white space; numbered where another step has the same.
        record: The step as the strategy recorded it.
        uses: The model calls made for it.
    """

    id: str
    record: Step
    uses: tuple[Use, ...] = ()
    children: tuple[TraceStep, ...] = ()

    @property
    def cost(self) -> Cost:
        """The cost of the step itself, without the steps below it."""
        return cost_of(self.uses)

    @property
    def whole_cost(self) -> Cost:
        """The cost of the step and all steps below it."""
        return sum((child.whole_cost for child in self.children), self.cost)

    def walk(self) -> Iterator[TraceStep]:
        """The step and all below it, each before those below it."""
        yield self
        for child in self.children:
            yield from child.walk()


def nest_steps(
    steps: Sequence[Step], uses: Iterable[Use] = (), rest: str = ""
) -> tuple[TraceStep, ...]:
    """Put each step under its parent, with the model calls that carry its id.

    Every step has one place, whatever the strategy recorded: at the top where its parent is
    missing, and under the first of several parents with one id.

    Args:
        steps: As they were recorded.
        uses: The run's model calls.
        rest: Id of the step for the calls that carry no step's id.
    """
    known = {step["id"] for step in steps}
    calls: defaultdict[str, list[Use]] = defaultdict(list)
    for use in uses:
        calls[use.step if use.step in known else rest].append(use)
    below: defaultdict[str, list[Step]] = defaultdict(list)
    for step in steps:
        parent = step.get("parent", "")
        below[parent if parent in known else ""].append(step)
    taken: set[str] = set()

    def build(step: Step) -> TraceStep:
        unique = _unique_id(step["id"], taken)
        mine, children = calls.pop(step["id"], []), below.pop(step["id"], [])
        return TraceStep(unique, step, tuple(mine), tuple(build(child) for child in children))

    nested = [build(step) for step in below.pop("", [])]
    while below:  # steps that are their own ancestors
        nested += [build(step) for step in below.pop(next(iter(below)))]
    return tuple(nested)


def _unique_id(step_id: str, taken: set[str]) -> str:
    base = unique = "_".join(step_id.split()) or "step"
    number = 2
    while unique in taken:
        unique, number = f"{base}-{number}", number + 1
    taken.add(unique)
    return unique


@dataclass(frozen=True)
class Span:
    """Where a quoted sentence is in a passage's text."""

    begin: int
    end: int


@dataclass(frozen=True)
class TracedPassage:
    """A passage that a step names.

    Attributes:
        text: None where the index is gone, or no longer has the passage.
        quotes: The cited sentences in it, in order, without overlap.
        unit: The evidence through which the answer was read from it; None where it was not.
        source: Where it is from; None where neither the index nor the answer says so.
    """

    passage_id: str
    title: str
    text: str | None
    quotes: tuple[Span, ...] = ()
    unit: Evidence | None = None
    source: Source | None = None

    @property
    def known_source(self) -> Source:
        """Where it is from, as far as is known."""
        return self.source or Source(passage_id=self.passage_id, title=self.title)


@dataclass(frozen=True)
class Earlier:
    """A question of the thread that was answered before the traced one."""

    question: str
    answer: str
    strategy: str
    model: str
    at: str
    calls: int
    seconds: float
    sources: tuple[str, ...]
    """Names of the cited passages."""


@dataclass(frozen=True)
class Trace:
    """A question of a thread, as a rule the last question.

    Attributes:
        asked: The question as it was typed, where it was rewritten to stand alone; else "".
        model: The chat model, as the settings name it.
        waits_for: The nodes that come next: none of a finished thread.
        notes: Warnings for the reader, such as a missing index or a used-up budget.
        citations: Those of the answer, the first one [1].
        asked_of_model: The prompts of model calls that were kept, by key, as (role, text).
        earlier: The questions before this one, the oldest first.
        running: The process that works on the thread now; "" where none does.
    """

    thread_id: str
    question: str
    asked: str
    answer: str
    strategy: str
    waits_for: tuple[str, ...]
    steps: tuple[TraceStep, ...]
    passages: Mapping[str, TracedPassage]
    cost: Cost
    seconds: float
    model: str = ""
    notes: tuple[str, ...] = ()
    citations: tuple[Citation, ...] = ()
    asked_of_model: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    earlier: tuple[Earlier, ...] = ()
    running: str = ""

    @property
    def finished(self) -> bool:
        """Whether the question is answered."""
        return not self.waits_for

    @cached_property
    def names(self) -> Names:
        """Names of its passages."""
        return name_sources(passage.known_source for passage in self.passages.values())

    @property
    def models(self) -> tuple[str, ...]:
        """The models that were asked, as the ledger names them; the setting where none was."""
        asked = (use.entry.model for step in self.walk() for use in step.uses)
        return tuple(dict.fromkeys(asked)) or ((self.model,) if self.model else ())

    @property
    def support(self) -> str:
        """A sentence if the documents do not support the answer, or a part of it; else ""."""
        if not self.finished:
            return ""
        if doubtful := sum(not cited.get("supported", True) for cited in self.citations):
            return (
                f"{doubtful} of {len(self.citations)} citations: "
                "the statement was not found in the passage."
            )
        if self.citations:
            return ""
        read = any(passage.unit for passage in self.passages.values())
        why = "" if read else ", because no passage was read"
        return f"No passage supports this answer{why}."

    def walk(self) -> Iterator[TraceStep]:
        """Every step, a step before those below it."""
        for step in self.steps:
            yield from step.walk()
