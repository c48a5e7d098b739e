"""The model calls of the page, as HTML: their texts on demand, and when they were made."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hopyard.models.ledger import Use
from hopyard.tracing.describe import Names, title_of
from hopyard.tracing.escaping import escape
from hopyard.tracing.model import Trace
from hopyard.tracing.time_line import Bar, Pause, TimeLine, time_line

__all__ = ("call_table", "draw_time_line")

_WIDE: Final = 1000
"""Units of a bar's drawing, whatever the width of the page."""
_LEAST: Final = 4
"""Units of the shortest bar."""


def call_table(uses: Iterable[Use], trace: Trace) -> str:
    """The calls of a step with what they cost; prompt and output open at a click."""
    uses = list(uses)
    rows = "".join(
        f"<tr><td>{escape(use.entry.prompt)}</td>"
        f"<td class='number'>{use.entry.input_tokens:,}</td>"
        f"<td class='number'>{use.entry.output_tokens:,}</td>"
        f"<td class='number'>{'ledger' if use.cached else f'{use.entry.seconds:.1f}'}</td>"
        f"<td>{escape(use.entry.outcome)}"
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
        f"<tbody>{rows}</tbody></table>{''.join(_texts(use, trace) for use in uses)}"
    )


def _texts(use: Use, trace: Trace) -> str:
    asked = trace.asked_of_model.get(use.key, ())
    said = "".join(f"<h5>{escape(who)}</h5><pre>{escape(text)}</pre>" for who, text in asked)
    prompt = said or "<p>What was asked is not in the ledger.</p>"
    return (
        f"<details class='call'><summary>{escape(use.entry.prompt)}: prompt and output</summary>"
        f"<p class='about'>{escape(use.entry.model)}, prompt version {use.entry.version}</p>"
        f"{prompt}<h5>output</h5><pre>{escape(use.entry.output)}</pre></details>"
    )


def draw_time_line(trace: Trace) -> str:
    """Bars of the calls over the time that the run worked; "" where it asked nothing."""
    line = time_line(trace.walk())
    if not line.bars or line.seconds <= 0:
        return ""
    rows = "".join(_row(bar, line, trace.names) for bar in line.bars)
    pauses = "".join(f"<p class='hint'>{_pause(pause)}</p>" for pause in line.pauses)
    return (
        '<section class="time" aria-labelledby="time-title"><h2 id="time-title">Time line</h2>'
        f"<p class='hint'>Model calls over {line.seconds:.1f} seconds; those of the ledger took "
        f"none.</p>{pauses}<ol class='bars'>{rows}</ol></section>"
    )


def _row(bar: Bar, line: TimeLine, names: Names) -> str:
    scale, entry = _WIDE / line.seconds, bar.use.entry
    width = max(entry.seconds * scale, _LEAST)
    begin = min(bar.begin * scale, _WIDE - width)
    title = escape(title_of(bar.step.record, names))
    return (
        f'<li><a class="label" href="#step-{escape(bar.step.id)}" title="{title}">{title}</a>'
        f'<span class="prompt">{escape(entry.prompt)}</span>'
        f'<svg viewBox="0 0 {_WIDE} 10" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect x="{begin:.1f}" y="0" width="{width:.1f}" height="10"></rect></svg>'
        f'<span class="number">{bar.begin:.1f} to {bar.begin + entry.seconds:.1f} s</span></li>'
    )


def _pause(pause: Pause) -> str:
    return f"A pause of {pause.seconds:,.0f} seconds after {pause.at:.1f} s is not shown."
