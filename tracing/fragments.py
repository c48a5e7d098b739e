"""The parts of the page, as HTML. Whatever a run or a document says is escaped here."""

from __future__ import annotations

from collections.abc import Sequence

from hopyard.state.schemas import Evidence, Step
from hopyard.tracing.calls import call_table
from hopyard.tracing.describe import (
    facts_of,
    judge_of,
    kind_of,
    look_of,
    name_evidence,
    on_a_line,
    title_of,
)
from hopyard.tracing.escaping import escape, escape_and_mark
from hopyard.tracing.model import Trace, TracedPassage, TraceStep
from hopyard.tracing.prose import is_prose, one_line, prose

__all__ = ("Fragments",)


class Fragments:
    """The parts of one trace's page."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._names = trace.names
        self._anchors = {name: f"passage-{number}" for number, name in enumerate(trace.passages, 1)}

    def anchor(self, passage_id: str) -> str:
        """The id of a passage's element."""
        return self._anchors[passage_id]

    def steps(self) -> str:
        """The steps as a tree for keyboard and screen reader: the page's primary structure."""
        return self._items(self._trace.steps, 1)

    def details(self) -> str:
        """One section a step; the page shows the chosen one."""
        return "".join(self._detail(step) for step in self._trace.walk())

    def evidence(self) -> str:
        """Every passage that a step names; those that are cited are open."""
        return "".join(self._passage(passage) for passage in self._trace.passages.values())

    def _items(self, steps: Sequence[TraceStep], level: int) -> str:
        items = []
        for place, step in enumerate(steps, 1):
            below = self._items(step.children, level + 1)
            group = f'<ul role="group">{below}</ul>' if below else ""
            expanded = ' aria-expanded="true"' if below else ""
            items.append(
                f'<li role="treeitem" id="step-{escape(step.id)}" data-step="{escape(step.id)}" '
                f'aria-level="{level}" aria-setsize="{len(steps)}" aria-posinset="{place}" '
                f'aria-selected="false" tabindex="-1"{expanded} '
                f'aria-label="{escape(self._label(step))}">{self._row(step)}{group}</li>'
            )
        return "".join(items)

    def _label(self, step: TraceStep) -> str:
        """The text for screen readers."""
        record = step.record
        answer = record.get("answer", "")
        parts = (
            kind_of(record),
            title_of(record, self._names),
            f"answer {one_line(answer)}" if answer else "",
            record.get("verdict", ""),
            str(step.cost),
        )
        return ", ".join(part for part in parts if part)

    def _row(self, step: TraceStep) -> str:
        record = step.record
        text = " ".join(
            f'<span class="{name}">{escape(value)}</span>'
            for name, value in (
                ("kind", kind_of(record)),
                ("title", title_of(record, self._names)),
                ("result", on_a_line(one_line(record.get("answer", "")))),
                ("verdict", record.get("verdict", "")),
            )
            if value
        )
        cost = f'<span class="cost">{escape(_short_cost(step))}</span>' if step.uses else ""
        return (
            f'<span class="row {look_of(record)}"><span class="twist" aria-hidden="true"></span>'
            f'<span class="text">{text}</span>{cost}</span>'
        )

    def _detail(self, step: TraceStep) -> str:
        record = step.record
        kind, answer = kind_of(record), record.get("answer", "")
        parts = (
            f'<p class="kind">{escape(kind)}</p>' if kind else "",
            f'<h3 id="title-{escape(step.id)}" tabindex="-1">'
            f"{escape(title_of(record, self._names))}</h3>",
            _answer(answer),
            _judgement(record),
            _facts(record),
            self._found(record),
            _thrown(record),
            call_table(step.uses, self._trace),
        )
        return (
            f'<section class="detail" id="detail-{escape(step.id)}" '
            f'aria-labelledby="title-{escape(step.id)}">{"".join(parts)}</section>'
        )

    def _found(self, step: Step) -> str:
        items = [self._unit(unit) for unit in step.get("passages", [])]
        items += [self._link(name) for name in (step.get("tail"), step.get("head")) if name]
        if not items:
            return ""
        found = "".join(f"<li>{item}</li>" for item in items)
        return f"<h4>Passages</h4><ol class='found'>{found}</ol>"

    def _unit(self, unit: Evidence) -> str:
        """A passage is a link; any other unit has the links of the passages behind it."""
        score = f'<span class="score">{unit["score"]:.2f}</span>'
        if unit["kind"] == "passage":
            return f"{self._link(unit['id'])} {score}{_why(unit)}"
        links = ", ".join(self._link(name) for name in unit["passages"])
        return f"{escape(name_evidence(unit, self._names))} {score}<br>{links}{_why(unit)}"

    def _link(self, passage_id: str) -> str:
        name = escape(self._names.get(passage_id, passage_id))
        return f'<a href="#{self._anchors[passage_id]}">{name}</a>'

    def _passage(self, passage: TracedPassage) -> str:
        marks = []
        if unit := passage.unit:
            through = "" if unit["kind"] == "passage" else f" through {name_evidence(unit, {})}"
            marks.append(f"read{through}, {unit['score']:.2f}")
        if passage.quotes:
            marks.append("cited")
        spans = ((span.begin, span.end) for span in passage.quotes)
        known = passage.text is not None
        text = escape_and_mark(passage.text or "", spans) if known else "The text no longer exists."
        empty = "" if known else " gone"
        return (
            f'<details class="passage{empty}" id="{self._anchors[passage.passage_id]}"'
            f"{' open' if passage.quotes else ''}>"
            f'<summary><span class="title">{escape(self._names[passage.passage_id])}</span> '
            f"<code>{escape(passage.passage_id)}</code> "
            f"<span class='score'>{escape(' · '.join(marks))}</span>"
            f"{_why(unit) if unit else ''}</summary>"
            f"{_source(passage, self._names[passage.passage_id])}<p>{text}</p></details>"
        )


def _why(unit: Evidence) -> str:
    """Why the search found a unit; "" if it does not say."""
    return f"<small>why: {escape(unit['why'])}</small>" if unit.get("why") else ""


def _source(passage: TracedPassage, name: str) -> str:
    """Where a passage is from, as a list of terms; "" where no more than its name is known."""
    source = passage.known_source
    section = source.get("section", "")
    terms = (
        ("Document", source.get("title", "")),
        ("Source", source.get("source", "")),
        ("Section", section),
        ("Page", source.get("pages", "")),
        *((key, str(value)) for key, value in source.get("metadata", {}).items()),
    )
    rows = "".join(
        f"<div><dt>{escape(term)}</dt><dd>{escape(value)}</dd></div>"
        for term, value in terms
        if value and value != name
    )
    return f'<dl class="source">{rows}</dl>' if rows else ""


def _answer(answer: str) -> str:
    if not answer:
        return ""
    form = "prose" if is_prose(answer) else "answer"
    return f'<div class="{form}">{prose(answer)}</div>'


def _short_cost(step: TraceStep) -> str:
    cost = step.cost
    if not cost.calls:
        return "ledger"
    return f"{cost.input_tokens + cost.output_tokens:,} tok · {cost.seconds:.1f} s"


def _judgement(step: Step) -> str:
    verdict, reason = step.get("verdict", ""), step.get("reason", "")
    badge = f'<span class="badge {look_of(step)}">{escape(verdict)}</span>' if verdict else ""
    return f"<p>{badge} {escape(reason)}</p>" if verdict or reason else ""


def _facts(step: Step) -> str:
    rows = "".join(
        f"<tr><th scope='row'>{escape(name)}</th><td>{_value(value)}</td></tr>"
        for name, value in facts_of(step).items()
    )
    judge = judge_of(step)
    caption = f"Judged by {judge}" if judge else "Measured"
    head = f"<caption>{escape(caption)}</caption>"
    return f"<table class='facts'>{head}{rows}</table>" if rows else ""


def _value(value: str) -> str:
    """A number out of five gets a bar beside it, and so does a share; a count does not."""
    number, slash, most = value.partition("/")
    try:
        amount, highest = float(number), float(most) if slash else 1.0
    except ValueError:
        return escape(value)
    if not 0 <= amount <= highest or value.isdigit():
        return escape(value)
    bar = f'<meter min="0" max="{highest:g}" value="{amount:g}" aria-hidden="true"></meter>'
    return f"{bar} {escape(value)}"


def _thrown(step: Step) -> str:
    items = "".join(
        f"<li><del>{escape(thrown.get('question', ''))}</del> {escape(thrown.get('answer', ''))}"
        f"<small>{escape(thrown['reason'])}</small></li>"
        for thrown in step.get("replaced", [])
    )
    return f"<h4>Thrown away</h4><ul class='thrown'>{items}</ul>" if items else ""
