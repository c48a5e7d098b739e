"""A trace as one file: the page's own modules with the run's data. It asks no server."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib.resources import files
from typing import Final

from markupsafe import Markup

from hopyard.tracing.model import Trace
from hopyard.tracing.plain import as_shown
from hopyard.web.citations import TEMPLATES

__all__ = ("saved_trace",)

_MODULES: Final = (
    *("common.js", "view.js", "step.js", "draw.js", "steps.js", "answer.js", "saved.js"),
)
"""Each after those that it imports. They become one module, so no two have a name in common."""
_LINKS: Final = re.compile(r"^(?:import|export \{).*\n|^export (?=const|function)", re.MULTILINE)
"""Imports and exports, which one module needs none of."""


def saved_trace(trace: Trace) -> str:
    """A trace as a page that needs no other file.

    Its policy allows the style and the script alone, by their hashes.
    """
    return TEMPLATES.get_template("saved.html").render(
        trace=as_shown(trace),
        style=_asset("style.css"),
        script=_script(),
        policy=_policy(),
    )


@cache
def _script() -> Markup:
    library, _, exports = _asset("htm-preact.js").strip().removesuffix("};").rpartition("export{")
    names = re.sub(r"(\w+) as (\w+)", r"\2:\1", exports)
    head = "const { html, render, useEffect, useRef, useState } = (() => {"
    own = (_LINKS.sub("", _asset(name)) for name in _MODULES)
    licence = f"/*\n{_asset('htm-preact.LICENSE')}*/"
    return Markup("\n").join(
        map(Markup, [licence, f"{head}{library}return {{{names}}}; }})();", *own])
    )


@cache
def _policy() -> Markup:
    rules = (
        "default-src 'none'",
        f"style-src {_hash(_asset('style.css'))}",
        f"script-src {_hash(_script())}",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return Markup("; ".join(rules))  # noqa: S704  (no text of others is in it)


@cache
def _asset(name: str) -> Markup:
    text = (files("hopyard.web") / "assets" / name).read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704  (our own file)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
