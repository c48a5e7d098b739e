"""A trace in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.rule import Rule
from rich.text import Text
from rich.tree import Tree

from hopyard.state.controls import without_controls
from hopyard.tracing.model import Found, PassageText, Trace, TraceStep

__all__ = ("drawn", "evidence_lines")

_STYLES: Final[Mapping[str, str]] = {
    "leaf": "green",
    "split": "cyan",
    "pruned": "red",
    "failed": "red",
    "fallback": "red",
    "necessary": "green",
    "indirect": "cyan",
    "open": "yellow",
}


def drawn(trace: Trace) -> RenderableType:
    """The whole trace: question, steps as a tree, evidence with its quotes, cost."""
    parts: list[RenderableType] = [_head(trace), _tree(trace)]
    if any(one.score is not None for one in trace.passages.values()):
        parts += [Rule("evidence", style="dim", align="left"), *evidence_lines(trace)]
    parts += [_plain(note, "yellow") for note in trace.notes]
    cost = str(trace.cost) or "no model call"
    parts.append(_plain(f"{cost} · {trace.seconds:.1f} s in all · thread {trace.thread_id}", "dim"))
    return Group(*parts)


def evidence_lines(trace: Trace) -> list[Text]:
    """The passages that the answer was read from, the cited sentences of each."""
    lines = []
    for passage in trace.passages.values():
        if passage.score is None:
            continue
        line = _plain(passage.title or passage.passage_id, "bold")
        line.append(f"  {_safe(passage.passage_id)} {passage.score:.2f}", style="dim")
        for quote in _quoted(passage):
            line.append(f"\n  “{_safe(quote)}”", style="italic")
        lines.append(line)
    return lines


def _quoted(passage: PassageText) -> Iterable[str]:
    if passage.text is not None:
        yield from (" ".join(passage.text[one.begin : one.end].split()) for one in passage.quotes)


def _head(trace: Trace) -> Text:
    text = _plain(trace.question, "bold")
    if trace.asked:
        text.append(f"\nasked as: {_safe(trace.asked)}", style="dim")
    if trace.finished:
        text.append("\n→ ", style="dim").append(_safe(trace.answer), style="bold green")
    else:
        text.append(f"\nnot finished; next: {', '.join(trace.waits_for)}", style="yellow")
    return text


def _tree(trace: Trace) -> Tree:
    tree = Tree(_plain("run", "dim"), guide_style="dim", hide_root=True)
    for step in trace.steps:
        _add(tree, step)
    return tree


def _add(above: Tree, step: TraceStep) -> None:
    branch = above.add(_step(step))
    for thrown in step.thrown:
        answer = f" → {thrown.answer}" if thrown.answer else ""
        branch.add(_plain(f"✗ {thrown.question}{answer} ({thrown.reason})", "dim red"))
    for child in step.children:
        _add(branch, child)


def _step(step: TraceStep) -> Text:
    text = _plain(step.title, "dim strike" if step.verdict == "pruned" else "")
    if step.answer:
        text.append(" → ", style="dim").append(_safe(step.answer), style="bold")
    about = Text(style="dim")
    for part, style in _about(step):
        if about:
            about.append(" · ")
        about.append(_safe(part), style=style)
    return text.append("\n").append(about) if about else text


def _about(step: TraceStep) -> Iterable[tuple[str, Any]]:
    if step.verdict and step.kind != "gate":
        yield step.verdict, _STYLES.get(step.verdict, "dim")
    if step.reason:
        yield step.reason, "dim"
    if step.facts:
        yield ", ".join(f"{one.name} {one.value}" for one in step.facts), "dim"
    if step.passages:
        yield _names(step.passages), "dim"
    if cost := str(step.cost):
        yield cost, "dim blue"


def _names(passages: Iterable[Found]) -> str:
    return ", ".join(f"{one.passage_id} {one.score:.2f}" for one in passages)


def _plain(text: str, style: str) -> Text:
    return Text(_safe(text), style=style)


def _safe(text: str) -> str:
    """A terminal would obey control characters."""
    return without_controls(text)
