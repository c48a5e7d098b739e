"""Pages that load nothing: templates that escape every text, and a policy for their own scripts.

A content security policy names each style and script of a page by its hash, so text from a
document could not run even where it was not escaped.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from hopyard.state.text.unicode import without_controls

LIBRARY: Final = "d3-hierarchy.min.js"
_LICENCE: Final = "d3-hierarchy.LICENSE"


def render(
    template: str,
    *,
    styles: Sequence[str],
    scripts: Sequence[str] = (),
    **values: Any,
) -> str:
    """A page.

    Args:
        template: The name of the template, without ending. It is also the word beside the brand.
        styles: Names of files in `assets`.
        scripts: Names of files in `assets`. Before the first of them stands d3-hierarchy.
    """
    css = [asset(name) for name in styles]
    js = [f"/*\n{asset(_LICENCE)}*/\n{asset(LIBRARY)}", *map(asset, scripts)] if scripts else []
    return ENVIRONMENT.get_template(f"{template}.html").render(
        policy=Markup(content_policy(css, js)),  # noqa: S704  (no text of others is in it)
        styles=[Markup(text) for text in css],  # noqa: S704  (our own files)
        scripts=[Markup(text) for text in js],  # noqa: S704
        reload_seconds=values.pop("reload_seconds", 0),
        **values,
    )


@cache
def asset(name: str) -> str:
    """The text of a file in `assets`."""
    return (files("hopyard.tracing") / "assets" / name).read_text(encoding="utf-8")


def content_policy(styles: Iterable[str], scripts: Iterable[str] = ()) -> str:
    """The content security policy that allows a page these styles and scripts alone."""
    allowed = {"style-src": styles, "script-src": scripts}
    rules = [f"{rule} {' '.join(map(_hash, texts))}" for rule, texts in allowed.items() if texts]
    return "; ".join(["default-src 'none'", *rules, "base-uri 'none'", "form-action 'none'"])


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _clean(value: object) -> object:
    """Text without control characters; what is markup already stays."""
    return without_controls(value) if type(value) is str else value


ENVIRONMENT: Final = Environment(
    loader=PackageLoader("hopyard.tracing"),
    autoescape=True,
    finalize=_clean,
    trim_blocks=True,
    lstrip_blocks=True,
)
"""Texts are escaped unless they are `Markup`, and control characters are removed."""
ENVIRONMENT.policies["json.dumps_kwargs"] = {"sort_keys": False}
