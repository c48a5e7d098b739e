"""A trace as one self-contained page: nothing is loaded from anywhere, nothing runs but its own.

The page has the steps as a nested list, which works without scripts. The script makes it a tree
that the keyboard moves in, and draws it. A content security policy names the page's own style and
scripts by their hashes: text from a document could not run even where it was not escaped.
"""

from __future__ import annotations

import json
from string import Template
from typing import Final

from hopyard.tracing.calls import draw_time_line
from hopyard.tracing.drawing import drawing_of
from hopyard.tracing.escaping import escape
from hopyard.tracing.fragments import Fragments
from hopyard.tracing.head import Head
from hopyard.tracing.model import Trace
from hopyard.tracing.plain import as_plain
from hopyard.tracing.self_contained import asset, content_policy

__all__ = ("page",)

_LIBRARY: Final = "d3-hierarchy.min.js"
_LICENCE: Final = "d3-hierarchy.LICENSE"


def page(trace: Trace, *, reload_seconds: float = 0) -> str:
    """The page of a trace.

    Args:
        trace: What is shown.
        reload_seconds: How often the page loads itself again; 0 for never.
    """
    fragments = Fragments(trace)
    head = Head(trace, fragments)
    library = f"/*\n{asset(_LICENCE)}*/\n{asset(_LIBRARY)}"
    style, script = asset("page.css"), asset("page.js")
    reload = f'<meta http-equiv="refresh" content="{reload_seconds:g}">' if reload_seconds else ""
    asked = f"Asked as: {trace.asked}" if trace.asked else ""
    return Template(asset("page.html")).substitute(
        policy=content_policy([style], [library, script]),
        reload=reload,
        style=style,
        library=library,
        script=script,
        drawing=_json(drawing_of(trace).as_dict()),
        file=escape(f"trace-{trace.thread_id}.json"),
        trace=_json(as_plain(trace)),
        question=escape(trace.question),
        asked=escape(asked),
        answer=head.answer(),
        support=head.support(),
        sources=head.sources(),
        status=head.status(),
        totals=head.totals(),
        notes=head.notes(),
        judges=head.judges(),
        earlier=head.earlier(),
        legend=head.legend(),
        time=draw_time_line(trace),
        steps=fragments.steps(),
        details=fragments.details(),
        evidence=fragments.evidence() or "<p>No passage was looked at.</p>",
    )


def _json(value: object) -> str:
    """JSON for a script element. No text of a document can close the element."""
    text = json.dumps(value, ensure_ascii=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
