"""A trace, and the steps of a run, in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text
from rich.tree import Tree

from hopyard.state.text.unicode import without_controls
from hopyard.state.verdicts import PRUNED
from hopyard.tracing.describe import (
    Look,
    Names,
    describe_step,
    name_evidence,
    on_a_line,
    once,
    title_of,
)
from hopyard.tracing.model import Trace, TracedPassage, TraceStep

_STYLES: Final[Mapping[Look, str]] = {
    "kept": "green",
    "pruned": "red",
    "open": "yellow",
    "plain": "cyan",
}
_LINE: Final = 72
"""Characters: a step that is longer takes two lines."""


def draw_trace(trace: Trace) -> RenderableType:
    """The whole trace: question, steps as a tree, evidence with its quotes, cost."""
    parts: list[RenderableType] = [_head(trace), draw_steps(trace.steps, trace.names)]
    if evidence := draw_evidence(trace):
        parts += [Rule("evidence", style="dim", align="left"), *evidence]
    parts += [_plain(note, "yellow") for note in trace.notes]
    cost = str(trace.cost) or "no model call"
    took = f"{cost} · {trace.seconds:.1f} s in all"
    parts.append(_plain(f"{took} · model {trace.model} · thread {trace.thread_id}", "dim"))
    return Group(*parts)


def draw_steps(steps: Iterable[TraceStep], names: Names, *, told: str = "") -> Tree:
    """Steps as a tree, with what was thrown away for them.

    Args:
        names: Names of passages.
        told: An answer that is on the screen already, which the closing step does not repeat; the
            steps below it are brief.
    """
    tree = Tree("", guide_style="dim", hide_root=True)
    said = set[str]()
    for step in steps:
        _add(tree, step, names, told, said)
    return tree


def draw_step(
    step: TraceStep, names: Names, *, told: str = "", said: set[str] | None = None
) -> Text:
    """One step: its title and answer, then what is said of it and what it cost.

    Args:
        names: Names of passages.
        told: An answer that is on the screen already.
        said: The reasons that steps before have said for their passages.
    """
    record = step.record
    style = "dim strike" if record.get("verdict") == PRUNED else ""
    text = _plain(title_of(record, names), style)
    answer = record.get("answer")
    closing = answer == told and record.get("title", "") != record.get("question", "")
    if answer and not closing:
        text.append(" → ", style="dim").append(_safe(on_a_line(answer)), style="bold")
    if closing and "passages" in record:  # the citations name them
        record = record.copy()
        del record["passages"]
    about = Text(style="dim")
    described = describe_step(record, names, brief=bool(told), said=said)
    parts = [(part, _STYLES[look] if look else "") for part, look in described]
    for place, (part, part_style) in enumerate([*parts, *_cost(step)]):
        about.append(" · " if place else "").append(_safe(part), style=part_style)
    if not about:
        return text
    apart = " · " if len(text) + len(about) <= _LINE else "\n"
    return text.append(apart, style="dim").append(about)


def _cost(step: TraceStep) -> list[tuple[str, str]]:
    cost = str(step.cost)
    return [(cost, "blue")] if cost else []


def draw_evidence(trace: Trace) -> list[Text]:
    """The passages that the answer was read from, the cited sentences of each."""
    lines, said = [], set[str]()
    for passage in trace.passages.values():
        if passage.unit is None:
            continue
        line = _plain(trace.names[passage.passage_id], "bold")
        line.append(f"  {passage.unit['score']:.2f}", style="dim")
        if passage.unit["kind"] != "passage":
            line.append(f" through {_safe(name_evidence(passage.unit, {}))}", style="dim")
        if why := passage.unit.get("why"):
            line.append(f"\n  why: {_safe(once(why, said))}", style="dim")
        for quote in _quotes(passage):
            line.append(f"\n  “{_safe(quote)}”", style="italic")
        lines.append(line)
    return lines


def _quotes(passage: TracedPassage) -> Iterable[str]:
    if passage.text is not None:
        for span in passage.quotes:
            yield " ".join(passage.text[span.begin : span.end].split())


def _head(trace: Trace) -> Text:
    text = _plain(trace.question, "bold")
    if trace.asked:
        text.append(f"\nasked as: {_safe(trace.asked)}", style="dim")
    if trace.finished:
        text.append("\n→ ", style="dim").append(_safe(trace.answer), style="bold green")
    else:
        text.append(f"\nnot finished; next: {', '.join(trace.waits_for)}", style="yellow")
    return text


def _add(above: Tree, step: TraceStep, names: Names, told: str, said: set[str]) -> None:
    branch = above.add(draw_step(step, names, told=told, said=said))
    for thrown in step.record.get("replaced", []):
        answer = f" → {thrown['answer']}" if thrown.get("answer") else ""
        branch.add(
            _plain(f"✗ {thrown.get('question', '')}{answer} ({thrown['reason']})", "dim red")
        )
    for child in step.children:
        _add(branch, child, names, told, said)


def _plain(text: str, style: str) -> Text:
    return Text(_safe(text), style=style)


def _safe(text: str) -> str:
    """A terminal would obey control characters."""
    return without_controls(text)
