"""The parts of the page, as HTML. Whatever a run or a document says is escaped here."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from hopyard.models.ledger import Use
from hopyard.state.controls import without_controls
from hopyard.tracing.model import Fact, PassageText, Thrown, Trace, TraceStep

__all__ = ("conversation", "details", "escaped", "evidence", "notes", "steps", "totals")

_KINDS: Final[Mapping[str, str]] = {
    "tree-node": "question",
    "rewrite": "follow-up",
    "aggregate": "answer",
    "read": "answer",
}


def escaped(text: str) -> str:
    """Text that can stand in an element or in a quoted attribute."""
    return html.escape(without_controls(text), quote=True)


def totals(trace: Trace) -> str:
    """What the run is and what it took, as a list of terms."""
    cost = trace.cost
    terms = (
        ("Strategy", trace.strategy or "not chosen yet"),
        ("Model calls", f"{cost.calls:,}"),
        ("From the ledger", f"{cost.cached:,}"),
        ("Tokens in", f"{cost.input_tokens:,}"),
        ("Tokens out", f"{cost.output_tokens:,}"),
        ("Seconds", f"{trace.seconds:,.1f}"),
        ("Thread", trace.thread_id),
    )
    return "".join(f"<div><dt>{name}</dt><dd>{escaped(value)}</dd></div>" for name, value in terms)


def notes(trace: Trace) -> str:
    """What the reader has to know first."""
    said = list(trace.notes)
    if not trace.finished:
        said.insert(0, f"This thread has not finished. Next: {', '.join(trace.waits_for)}.")
    return "".join(f'<p class="note">{escaped(one)}</p>' for one in said)


def conversation(trace: Trace) -> str:
    """The turns before this one, folded."""
    if not trace.conversation:
        return ""
    said = "".join(
        f"<p><b>{escaped(who)}</b> {escaped(text)}</p>" for who, text in trace.conversation
    )
    return f'<details class="before"><summary>Said before</summary>{said}</details>'


def steps(some: Sequence[TraceStep], level: int = 1) -> str:
    """The steps as a tree for keyboard and screen reader: the page's primary structure."""
    items = []
    for place, step in enumerate(some, 1):
        below = steps(step.children, level + 1)
        group = f'<ul role="group">{below}</ul>' if below else ""
        expanded = ' aria-expanded="true"' if below else ""
        items.append(
            f'<li role="treeitem" id="step-{escaped(step.id)}" data-step="{escaped(step.id)}" '
            f'aria-level="{level}" aria-setsize="{len(some)}" aria-posinset="{place}" '
            f'aria-selected="false" tabindex="-1"{expanded} '
            f'aria-label="{escaped(_spoken(step))}">{_row(step)}{group}</li>'
        )
    return "".join(items)


def _spoken(step: TraceStep) -> str:
    parts = (
        _kind(step) if _says_more(step) else "",
        step.title,
        f"answer {step.answer}" if step.answer else "",
        step.verdict,
        str(step.cost),
    )
    return ", ".join(part for part in parts if part)


def _row(step: TraceStep) -> str:
    answer = f' <span class="result">{escaped(step.answer)}</span>' if step.answer else ""
    cost = f'<span class="cost">{escaped(_short_cost(step))}</span>' if step.uses else ""
    verdict = f' <span class="verdict">{escaped(step.verdict)}</span>' if _judged(step) else ""
    kind = f'<span class="kind">{escaped(_kind(step))}</span> ' if _says_more(step) else ""
    return (
        f'<span class="row {_look(step)}"><span class="twist" aria-hidden="true"></span>'
        f'<span class="text">{kind}<span class="title">{escaped(step.title)}</span>'
        f"{answer}{verdict}</span>{cost}</span>"
    )


def _short_cost(step: TraceStep) -> str:
    cost = step.cost
    if not cost.calls:
        return "ledger"
    return f"{cost.input_tokens + cost.output_tokens:,} tok · {cost.seconds:.1f} s"


def _kind(step: TraceStep) -> str:
    return _KINDS.get(step.kind, step.kind)


def _judged(step: TraceStep) -> bool:
    """Whether the verdict is no news that the row tells in another way."""
    return bool(step.verdict) and step.kind in {"hop", "tree-node"}


def _says_more(step: TraceStep) -> bool:
    """Whether the kind tells what the title does not."""
    return not step.title.lower().startswith(step.kind)


def _look(step: TraceStep) -> str:
    return {
        "leaf": "kept",
        "pruned": "pruned",
        "failed": "pruned",
        "fallback": "pruned",
        "open": "open",
        "necessary": "kept",
    }.get(step.verdict, "plain")


def details(trace: Trace, anchors: Mapping[str, str]) -> str:
    """One section a step; the page shows the chosen one."""
    return "".join(_detail(step, trace, anchors) for step in trace.walk())


def _detail(step: TraceStep, trace: Trace, anchors: Mapping[str, str]) -> str:
    verdict = f'<span class="badge {_look(step)}">{escaped(step.verdict)}</span>'
    parts = [
        f'<p class="kind">{escaped(_kind(step))}</p>' if _says_more(step) else "",
        f'<h3 id="title-{escaped(step.id)}" tabindex="-1">{escaped(step.title)}</h3>',
        f'<p class="answer">{escaped(step.answer)}</p>' if step.answer else "",
        f"<p>{verdict if step.verdict else ''} {escaped(step.reason)}</p>"
        if step.verdict or step.reason
        else "",
        _facts(step.facts),
        _passages(step, trace, anchors),
        _thrown(step.thrown),
        _calls(step.uses),
    ]
    return (
        f'<section class="detail" id="detail-{escaped(step.id)}" '
        f'aria-labelledby="title-{escaped(step.id)}">{"".join(parts)}</section>'
    )


def _facts(facts: Sequence[Fact]) -> str:
    if not facts:
        return ""
    rows = "".join(
        f"<tr><th scope='row'>{escaped(one.name)}</th><td>{_value(one)}</td></tr>" for one in facts
    )
    return f"<table class='facts'><caption>Judged</caption>{rows}</table>"


def _value(fact: Fact) -> str:
    """A number out of five gets a bar beside it, and so does a share."""
    number, slash, most = fact.value.partition("/")
    highest = float(most) if slash else 1.0
    try:
        value = float(number)
    except ValueError:
        return escaped(fact.value)
    if value > highest:
        return escaped(fact.value)
    bar = f'<meter min="0" max="{highest:g}" value="{value:g}" aria-hidden="true"></meter>'
    return f"{bar} {escaped(fact.value)}"


def _passages(step: TraceStep, trace: Trace, anchors: Mapping[str, str]) -> str:
    named = [(one.passage_id, f"{one.score:.2f}") for one in step.passages]
    named += [(one, "") for one in (step.tail, step.head) if one]
    if not named:
        return ""
    items = "".join(
        f'<li><a href="#{anchors[one]}">{escaped(_name(trace.passages[one]))}</a> '
        f'<span class="score">{score}</span></li>'
        for one, score in named
    )
    return f"<h4>Passages</h4><ol class='found'>{items}</ol>"


def _name(passage: PassageText) -> str:
    return passage.title or passage.passage_id


def _thrown(thrown: Sequence[Thrown]) -> str:
    if not thrown:
        return ""
    items = "".join(
        f"<li><del>{escaped(one.question)}</del> {escaped(one.answer)}"
        f"<small>{escaped(one.reason)}</small></li>"
        for one in thrown
    )
    return f"<h4>Thrown away</h4><ul class='thrown'>{items}</ul>"


def _calls(uses: Iterable[Use]) -> str:
    rows = "".join(
        f"<tr><td>{escaped(use.entry.prompt)}</td>"
        f"<td class='number'>{use.entry.input_tokens:,}</td>"
        f"<td class='number'>{use.entry.output_tokens:,}</td>"
        f"<td class='number'>{'ledger' if use.cached else f'{use.entry.seconds:.1f}'}</td>"
        f"<td>{escaped(use.entry.outcome)}"
        f"{f', try {use.entry.attempt + 1}' if use.entry.attempt else ''}</td></tr>"
        for use in uses
    )
    if not rows:
        return ""
    head = "".join(
        f"<th scope='col'>{name}</th>" for name in ("Prompt", "In", "Out", "Seconds", "Output")
    )
    return (
        f"<table class='calls'><caption>Model calls</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def evidence(trace: Trace, anchors: Mapping[str, str]) -> str:
    """Every passage that was spoken of; those that are cited stand open."""
    return "".join(_passage(one, anchors[one.passage_id]) for one in trace.passages.values())


def _passage(passage: PassageText, anchor: str) -> str:
    marks = []
    if passage.score is not None:
        marks.append(f"read, {passage.score:.2f}")
    if passage.quotes:
        marks.append("cited")
    text = "The text is not there any more." if passage.text is None else _marked(passage)
    empty = " gone" if passage.text is None else ""
    return (
        f'<details class="passage{empty}" id="{anchor}"{" open" if passage.quotes else ""}>'
        f'<summary><span class="title">{escaped(_name(passage))}</span> '
        f"<code>{escaped(passage.passage_id)}</code> "
        f"<span class='score'>{escaped(' · '.join(marks))}</span></summary><p>{text}</p></details>"
    )


def _marked(passage: PassageText) -> str:
    text, parts, place = passage.text or "", [], 0
    for quote in passage.quotes:
        parts.append(escaped(text[place : quote.begin]))
        parts.append(f"<mark>{escaped(text[quote.begin : quote.end])}</mark>")
        place = quote.end
    return "".join((*parts, escaped(text[place:])))
