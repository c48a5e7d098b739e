"""What the page draws: boxes in a tree, and the links that a tree cannot have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from hopyard.tracing.model import Trace, TraceStep

__all__ = ("Box", "Drawing", "Link", "drawing_of")

_START: Final = "question"


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
class Link:
    """A further way to a box that hangs from another one already."""

    source: str
    target: str


@dataclass
class Drawing:
    """All boxes, a parent before its children, and the further links."""

    boxes: list[Box] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the page."""
        return asdict(self)


def drawing_of(trace: Trace) -> Drawing:
    """The drawing of a trace: the tree, the hops over passages, or the steps in their order."""
    strategy = next((one for one in trace.steps if one.kind == "strategy"), None)
    below = strategy.children if strategy else ()
    root = next((one for one in below if one.kind == "tree-node"), None)
    if root is not None:
        return _tree(trace, root)
    if any(one.kind == "round" for one in below):
        return _hops(trace, below)
    return _line(trace, (*trace.steps, *below))


_STATES: Final[Mapping[str, str]] = {
    "leaf": "kept",
    "split": "plain",
    "pruned": "pruned",
    "failed": "pruned",
    "fallback": "pruned",
    "open": "open",
}


def _tree(trace: Trace, root: TraceStep) -> Drawing:
    drawing = Drawing()

    def add(step: TraceStep, parent: str) -> None:
        first = not parent
        drawing.boxes.append(
            Box(
                step.id,
                parent,
                step.title,
                result=trace.answer if first and trace.answer else step.answer,
                note=_score(step) or step.verdict,
                state="answer" if first and trace.answer else _STATES.get(step.verdict, "plain"),
                step=step.id,
            )
        )
        for place, thrown in enumerate(step.thrown):
            drawing.boxes.append(
                Box(
                    f"{step.id}-thrown-{place}",
                    step.id,
                    thrown.question,
                    result=thrown.answer,
                    note="thrown away",
                    state="pruned",
                    step=step.id,
                )
            )
        for child in step.children:
            add(child, step.id)

    add(root, "")
    return drawing


def _score(step: TraceStep) -> str:
    scores = {one.name: one.value for one in step.facts}
    return f"branch {scores['branch score']}" if "branch score" in scores else ""


def _hops(trace: Trace, below: tuple[TraceStep, ...]) -> Drawing:
    """Passages, each hanging from the one that it was first reached from."""
    drawing = Drawing([_question(trace)])
    kept = {one.passage_id for step in below if step.kind == "prune" for one in step.passages}
    boxes: dict[str, str] = {}
    for step in (hop for one in below if one.kind == "round" for hop in one.children):
        if not step.head:
            continue
        entered = step.id.startswith("hop-0-")
        source = _START if entered else boxes.get(step.tail, _START)
        if step.head in boxes:
            drawing.links.append(Link(source, boxes[step.head]))
            continue
        boxes[step.head] = f"passage-{len(boxes)}"
        passage = trace.passages.get(step.head)
        ended = "kept" if step.head in kept else "pruned"
        drawing.boxes.append(
            Box(
                boxes[step.head],
                source,
                (passage.title if passage else "") or step.head,
                result="" if passage is None or passage.score is None else f"{passage.score:.2f}",
                note=step.verdict or ("entry" if entered else ""),
                state=ended if trace.finished else "open",
                step=step.id,
            )
        )
    return drawing


def _line(trace: Trace, steps: tuple[TraceStep, ...]) -> Drawing:
    """Each step after the one before it."""
    drawing = Drawing([_question(trace)])
    for step in steps:
        if step.kind != "strategy":
            last = drawing.boxes[-1].id
            state = _STATES.get(step.verdict, "plain")
            drawing.boxes.append(
                Box(step.id, last, step.title, step.answer, step.verdict, state, step.id)
            )
    return drawing


def _question(trace: Trace) -> Box:
    answered = bool(trace.answer)
    state = "answer" if answered else "open"
    step = "strategy" if any(one.id == "strategy" for one in trace.steps) else ""
    return Box(_START, "", trace.question, trace.answer, "question", state, step)
