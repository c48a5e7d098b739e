"""The head of the page, as HTML: the answer with its sources, and what the run is."""

from __future__ import annotations

from typing import Final

from hopyard.state.counting import counted
from hopyard.state.schemas import NOT_SUPPORTED, Citation, quotes_of
from hopyard.tracing.describe import judge_of
from hopyard.tracing.escaping import escape
from hopyard.tracing.fragments import Fragments
from hopyard.tracing.legend import legend_of
from hopyard.tracing.model import Earlier, Trace
from hopyard.tracing.prose import is_prose, one_line, prose

__all__ = ("Head",)

_OPEN_SOURCES: Final = 12
"""Sources that the page shows at once. More of them are folded, and open at a click on a mark."""
_DOUBT: Final = f'<span class="doubt">✗ {escape(NOT_SUPPORTED)}</span>'
_SUPPORT: Final = {"full": "✓", "part": "!", "none": "✗"}


class Head:
    """The parts of the head of one trace's page."""

    def __init__(self, trace: Trace, fragments: Fragments) -> None:
        self._trace = trace
        self._fragments = fragments

    def status(self) -> str:
        """Finished, running and where, or stopped."""
        trace = self._trace
        if trace.finished:
            return "finished"
        return f"running {escape(trace.running)}" if trace.running else "not finished"

    def answer(self) -> str:
        """The answer; its marks lead to the sources. A short one is shown in large letters."""
        if not self._trace.finished:
            return '<div class="short">…</div>'
        answer = self._trace.answer
        form = "prose" if is_prose(answer) else "short"
        return f'<div class="{form}">{prose(answer, len(self._trace.citations))}</div>'

    def support(self) -> str:
        """A mark where nothing, or not all, supports the answer."""
        how, said = self._trace.support
        if not said:
            return ""
        sign = f'<span aria-hidden="true">{_SUPPORT[how]}</span>'
        return f'<p class="support {how}" role="note">{sign} {escape(said)}</p>'

    def sources(self) -> str:
        """The citations: what is cited, its file or address, the quote; a click leads there."""
        if not self._trace.citations:
            return ""
        items = "".join(
            self._source(number, cited) for number, cited in enumerate(self._trace.citations, 1)
        )
        listed = f'<ol class="sources">{items}</ol>'
        count = len(self._trace.citations)
        if count <= _OPEN_SOURCES:
            return f"<h2>Sources</h2>{listed}"
        return f'<details class="many"><summary>{count} sources</summary>{listed}</details>'

    def _source(self, number: int, cited: Citation) -> str:
        name = self._trace.names[cited["passage_id"]]
        place, said_for = cited.get("source", ""), cited.get("claim", "")
        parts = (
            f'<a href="#{self._fragments.anchor(cited["passage_id"])}">{escape(name)}</a>',
            f' <span class="about">{escape(place)}</span>' if place and place != name else "",
            *(f"<q>{escape(quote)}</q>" for quote in quotes_of(cited)),
            f'<span class="claim">for: {escape(one_line(said_for))}</span>' if said_for else "",
            "" if cited.get("supported", True) else _DOUBT,
        )
        return f'<li id="source-{number}">{"".join(parts)}</li>'

    def totals(self) -> str:
        """The facts and the cost of the run, as a list of terms."""
        trace, cost = self._trace, self._trace.cost
        # A single model has the name that the user gave; the calls have the ledger's longer name.
        models = trace.models if len(trace.models) > 1 or not trace.model else (trace.model,)
        terms = [
            ("Strategy", trace.strategy or "not chosen yet"),
            ("Models" if len(models) > 1 else "Model", ", ".join(models) or "none"),
            ("Model calls", f"{cost.calls:,}"),
            ("From the ledger", f"{cost.cached:,}"),
            ("Tokens in", f"{cost.input_tokens:,}"),
            ("Tokens out", f"{cost.output_tokens:,}"),
            ("Seconds", f"{trace.seconds:,.1f}"),
            ("Thread", trace.thread_id),
        ]
        return "".join(
            f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in terms
        )

    def notes(self) -> str:
        """Warnings at the top of the page."""
        notes = list(self._trace.notes)
        if not self._trace.finished:
            following = ", ".join(self._trace.waits_for)
            notes.insert(0, f"This thread has not finished. Next: {following}.")
        return "".join(f'<p class="note">{escape(note)}</p>' for note in notes)

    def judges(self) -> str:
        """Whose scores the picture shows, beside the meaning of its colours."""
        records = [step.record for step in self._trace.walk() if "score" in step.record]
        judges = ", ".join(dict.fromkeys(filter(None, map(judge_of, records))))
        return f'<li class="judge">scores: judged by {escape(judges)}</li>' if judges else ""

    def earlier(self) -> str:
        """The questions before this one, folded."""
        if not self._trace.earlier:
            return ""
        items = "".join(_turn(turn) for turn in self._trace.earlier)
        title = counted(len(self._trace.earlier), "earlier question")
        return (
            f'<details class="before"><summary>{title} of this thread</summary>'
            f'<p class="hint">hopyard trace {escape(self._trace.thread_id)} --question N draws '
            f"one of them.</p><ol>{items}</ol></details>"
        )

    def legend(self) -> str:
        """The folded glossary of this trace."""
        words = legend_of(self._trace)
        if not words:
            return ""
        terms = "".join(
            f"<div><dt>{escape(word)}</dt><dd>{escape(meaning)}</dd></div>"
            for word, meaning in words.items()
        )
        return (
            '<details class="words"><summary>What the words mean</summary>'
            f"<dl>{terms}</dl></details>"
        )


def _turn(turn: Earlier) -> str:
    sources = f" · from {escape(', '.join(turn.sources))}" if turn.sources else ""
    at = f"{turn.at[:16].replace('T', ' ')} UTC"
    cost = f"{counted(turn.calls, 'call')}, {turn.seconds:.1f} s"
    about = f"{at} · {turn.strategy} · {turn.model} · {cost}"
    return (
        f"<li><b>{escape(turn.question)}</b><br>{escape(one_line(turn.answer))}"
        f"<small>{escape(about)}{sources}</small></li>"
    )
