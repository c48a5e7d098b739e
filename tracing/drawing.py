"""The drawings of the page: boxes in a tree with arrows, and the model calls over time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from hopyard.models.ledger import Use
from hopyard.tracing.describe import look_of, title_of
from hopyard.tracing.model import Trace, TraceStep
from hopyard.tracing.prose import one_line

_START: Final = "the question"
"""Ids of boxes that are no steps have white space, which the ids of steps do not have."""


@dataclass(frozen=True)
class Box:
    """One box.

    Attributes:
        parent: The box that it hangs from; "" for the first.
        step: The step that a click opens; "" for none.
        state: How it looks: kept, pruned, open, answer or plain.
    """

    id: str
    parent: str
    label: str
    result: str = ""
    note: str = ""
    state: str = "plain"
    step: str = ""


@dataclass(frozen=True)
class Arrow:
    """A further way to a box that hangs from another one already."""

    source: str
    target: str


@dataclass
class Drawing:
    """All boxes, a parent before its children, and the further arrows."""

    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the page."""
        return asdict(self)


def drawing_of(trace: Trace) -> Drawing:
    """The drawing of a trace.

    Steps that reach passages are drawn as a graph of these passages, steps that have steps below
    them as a tree, and all others as a line.
    """
    strategy = next((step for step in trace.steps if step.record["kind"] == "strategy"), None)
    below = strategy.children if strategy else ()
    drawing = Drawing([_question(trace, strategy)])
    reaching = [step for top in below for step in top.walk() if "head" in step.record]
    if reaching:
        _add_passages(drawing, trace, reaching)
    elif any(step.children for step in below):
        _add_tree(drawing, trace, below)
    else:
        _add_line(drawing, trace, [*(step for step in trace.steps if step != strategy), *below])
    return drawing


def _question(trace: Trace, strategy: TraceStep | None) -> Box:
    state = "answer" if trace.answer else "open"
    step = strategy.id if strategy else ""
    return Box(_START, "", trace.question, one_line(trace.answer), "question", state, step)


def _box(step: TraceStep, parent: str, trace: Trace) -> Box:
    record = step.record
    score = f" {record['score']:.2f}" if "score" in record else ""
    return Box(
        step.id,
        parent,
        title_of(record, trace.names),
        result=one_line(record.get("answer", "")),
        note=f"{record.get('verdict', '')}{score}".strip(),
        state=look_of(record),
        step=step.id,
    )


def _add_tree(drawing: Drawing, trace: Trace, steps: Sequence[TraceStep]) -> None:
    """Steps below their parents. A step for the whole question is the question's own box."""

    def add_below(step: TraceStep, box: str) -> None:
        for place, thrown in enumerate(step.record.get("replaced", [])):
            drawing.boxes.append(
                Box(
                    f"{step.id} thrown {place}",
                    box,
                    thrown.get("question", ""),
                    result=thrown.get("answer", ""),
                    note="thrown away",
                    state="pruned",
                    step=step.id,
                )
            )
        for child in step.children:
            add(child, box)

    def add(step: TraceStep, parent: str) -> None:
        drawing.boxes.append(_box(step, parent, trace))
        add_below(step, step.id)

    roots = [step for step in steps if step.children]
    if [root.record.get("question") for root in roots] == [trace.question]:
        note = _box(roots[0], "", trace).note
        drawing.boxes = [replace(drawing.boxes[0], note=note, step=roots[0].id)]
        add_below(roots[0], _START)
    else:
        for step in steps:
            add(step, _START)


def _add_passages(drawing: Drawing, trace: Trace, steps: Sequence[TraceStep]) -> None:
    """Passages, each a child of the passage that first reached it."""
    boxes: dict[str, str] = {}
    for step in steps:
        tail, head = step.record.get("tail", ""), step.record["head"]
        source = boxes.get(tail, _START)
        if head in boxes:
            drawing.arrows.append(Arrow(source, boxes[head]))
            continue
        boxes[head] = f"passage-{len(boxes)}"
        unit = trace.passages[head].unit
        ended = "kept" if unit else "pruned"
        drawing.boxes.append(
            Box(
                boxes[head],
                source,
                trace.names.get(head, head),
                result=f"{unit['score']:.2f}" if unit else "",
                note=step.record.get("verdict", "") or ("" if tail else "entry"),
                state=ended if trace.finished else "open",
                step=step.id,
            )
        )


def _add_line(drawing: Drawing, trace: Trace, steps: Sequence[TraceStep]) -> None:
    """Each step after the one before it."""
    for step in steps:
        drawing.boxes.append(_box(step, drawing.boxes[-1].id, trace))


LONGEST_REST: Final = 30.0
"""Seconds without a call that are drawn; a longer pause, of a run that was resumed, is cut out."""


@dataclass(frozen=True)
class Bar:
    """One call: where it begins on the line, and how long it took, in seconds."""

    step: TraceStep
    use: Use
    begin: float


@dataclass(frozen=True)
class Pause:
    """Time that is cut out: where, and how many seconds."""

    at: float
    seconds: float


@dataclass(frozen=True)
class TimeLine:
    """The bars in the order in which they begin, and the length of the line."""

    bars: tuple[Bar, ...]
    pauses: tuple[Pause, ...]
    seconds: float


def time_line(steps: Iterable[TraceStep]) -> TimeLine:
    """The time line of the calls that a run paid for; the ledger's took no time."""
    begun = sorted(
        (
            (datetime.fromisoformat(use.at).timestamp() - use.entry.seconds, step, use)
            for step in steps
            for use in step.uses
            if use.at and not use.cached
        ),
        key=lambda call: call[0],
    )
    bars: list[Bar] = []
    pauses: list[Pause] = []
    left_out = begun[0][0] if begun else 0.0
    end = 0.0
    for begin, step, use in begun:
        if (rest := begin - left_out - end) > LONGEST_REST:
            pauses.append(Pause(end, rest))
            left_out += rest
        bars.append(Bar(step, use, begin - left_out))
        end = max(end, begin - left_out + use.entry.seconds)
    return TimeLine(tuple(bars), tuple(pauses), end)
