"""A trace as one self-contained page: nothing is loaded from anywhere, nothing runs but its own.

The page has the steps as a nested list, which works without scripts. The script makes it a tree
that the keyboard moves in, and draws it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from markupsafe import Markup

from hopyard.state import verdicts
from hopyard.state.schemas import NOT_SUPPORTED, quotes_of
from hopyard.state.strategy import STRATEGIES
from hopyard.state.text.counting import counted
from hopyard.tracing.describe import (
    facts_of,
    judge_of,
    kind_of,
    look_of,
    name_evidence,
    on_a_line,
    title_of,
)
from hopyard.tracing.drawing import drawing_of, time_line
from hopyard.tracing.model import Trace, TracedPassage, TraceStep
from hopyard.tracing.pages import ENVIRONMENT, render
from hopyard.tracing.plain import as_plain
from hopyard.tracing.prose import is_prose, one_line, prose

_OPEN_SOURCES: Final = 12
"""Sources that the page shows at once. More of them are folded, and open at a click on a mark."""

_COMMON: Final[Mapping[str, str]] = {
    verdicts.PRUNED: "judged unhelpful and removed, with everything below it",
    verdicts.FAILED: "the model gave no usable output",
    verdicts.FALLBACK: "something failed, and a simpler method was used instead",
    verdicts.BUDGET: "the limit of calls, tokens or seconds was reached",
    verdicts.CUT: "the answer reached its limit of tokens; its end is missing",
    verdicts.OPEN: "not finished: it is running, or continues when the thread is resumed",
    "forced": "the user, or a setting, asked for this strategy",
    "score": "the step's score, from 0 to 1",
    "probability": "the gate's or the route's confidence, from 0 to 1",
}

ENVIRONMENT.filters |= {"one_line": one_line, "on_a_line": on_a_line}


def trace_page(trace: Trace, *, reload_seconds: float = 0) -> str:
    """The page of a trace.

    Args:
        reload_seconds: How often the page loads itself again; 0 for never.
    """
    scored = [step.record for step in trace.walk() if "score" in step.record]
    return render(
        "trace",
        styles=["page.css"],
        scripts=["drawing.js", "page.js"],
        reload_seconds=reload_seconds,
        kind="trace",
        main="steps",
        trace=trace,
        anchors={name: f"passage-{number}" for number, name in enumerate(trace.passages, 1)},
        totals=list(_totals(trace)),
        legend=legend_of(trace),
        judges=", ".join(dict.fromkeys(filter(None, map(judge_of, scored)))),
        line=time_line(trace.walk()),
        drawing=drawing_of(trace).as_dict(),
        plain=as_plain(trace),
        label=lambda step: _label(step, trace),
        prose=lambda text, sources=0: Markup(prose(text, sources)),  # noqa: S704  (escapes all)
        open_sources=_OPEN_SOURCES,
        not_supported=NOT_SUPPORTED,
        bar_of=_bar_of,
        counted=counted,
        facts_of=facts_of,
        is_prose=is_prose,
        judge_of=judge_of,
        kind_of=kind_of,
        look_of=look_of,
        name_evidence=name_evidence,
        quotes_of=quotes_of,
        short_cost=_short_cost,
        source_of=_source_of,
        spans_of=lambda passage: [(span.begin, span.end) for span in passage.quotes],
        title_of=title_of,
    )


def _totals(trace: Trace) -> Iterator[tuple[str, str]]:
    """The facts and the cost of the run."""
    cost = trace.cost
    # A single model has the name that the user gave; the calls have the ledger's longer name.
    models = trace.models if len(trace.models) > 1 or not trace.model else (trace.model,)
    yield "Strategy", trace.strategy or "not chosen yet"
    yield "Models" if len(models) > 1 else "Model", ", ".join(models) or "none"
    yield "Model calls", f"{cost.calls:,}"
    yield "From the ledger", f"{cost.cached:,}"
    yield "Tokens in", f"{cost.about}{cost.input_tokens:,}"
    yield "Tokens out", f"{cost.about}{cost.output_tokens:,}"
    yield "Seconds", f"{trace.seconds:,.1f}"
    yield "Thread", trace.thread_id


def _label(step: TraceStep, trace: Trace) -> str:
    """The text of a step for screen readers."""
    record = step.record
    answer = record.get("answer", "")
    parts = (
        kind_of(record),
        title_of(record, trace.names),
        f"answer {one_line(answer)}" if answer else "",
        record.get("verdict", ""),
        str(step.cost),
    )
    return ", ".join(part for part in parts if part)


def _short_cost(step: TraceStep) -> str:
    cost = step.cost
    if not cost.calls:
        return "ledger"
    tokens = f"{cost.about}{cost.input_tokens + cost.output_tokens:,}"
    return f"{tokens} tok · {cost.seconds:.1f} s"


def _source_of(passage: TracedPassage, name: str) -> list[tuple[str, str]]:
    """Where a passage is from, as terms; none where no more than its name is known."""
    source = passage.known_source
    terms = (
        ("Document", source.get("title", "")),
        ("Source", source.get("source", "")),
        ("Section", source.get("section", "")),
        ("Page", source.get("pages", "")),
        *((key, str(value)) for key, value in source.get("metadata", {}).items()),
    )
    return [(term, value) for term, value in terms if value and value != name]


def _bar_of(value: str) -> tuple[float, float] | None:
    """Length and greatest length of a value's bar: "4/5" and shares have one, counts do not."""
    number, slash, most = value.partition("/")
    try:
        amount, highest = float(number), float(most) if slash else 1.0
    except ValueError:
        return None
    return (amount, highest) if 0 <= amount <= highest and not value.isdigit() else None


def legend_of(trace: Trace) -> dict[str, str]:
    """The meaning of each verdict, fact and sign that the trace shows, where it is known.

    A sign, such as θ, is listed if it occurs in a reason.
    """
    words = {**_COMMON, **_of_strategy(trace.strategy)}
    records = [step.record for step in trace.walk()]
    shown = {record.get("verdict", "") for record in records}
    shown |= {name for record in records for name in facts_of(record)}
    shown |= {verdicts.PRUNED for record in records if record.get("replaced")}
    reasons = " ".join(record.get("reason", "") for record in records)
    signs = {word for word in words if not word.isascii() and word in reasons}
    return {word: meaning for word, meaning in words.items() if word in shown | signs}


def _of_strategy(name: str) -> Mapping[str, str]:
    found: Mapping[str, str] = STRATEGIES[name].legend if name in STRATEGIES else {}
    return found
