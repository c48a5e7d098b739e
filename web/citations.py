"""A citation as a page of its own: the passage, with what was quoted marked in it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from jinja2 import Environment, PackageLoader
from markupsafe import Markup, escape

from hopyard.agent.answer import Citation
from hopyard.state.text.unicode import without_controls
from hopyard.tracing.texts import find_quotes
from hopyard.web.viewing import Place

__all__ = ("TEMPLATES", "citation_page", "marked")

TEMPLATES: Final = Environment(
    loader=PackageLoader("hopyard.web", "templates"),
    autoescape=True,
    finalize=lambda value: without_controls(value) if type(value) is str else value,
)
"""Texts are escaped unless they are `Markup`, and control characters are removed."""
TEMPLATES.policies["json.dumps_kwargs"] = {"sort_keys": False}


def citation_page(citation: Citation, place: Place) -> str:
    """The page of a citation. It needs no script."""
    return TEMPLATES.get_template("citation.html").render(
        citation=citation, place=place, text=marked(citation.text, citation.quotes)
    )


def marked(text: str, quotes: Iterable[str]) -> Markup:
    """A passage as HTML, with the quotes that it has marked: each as a whole, or not at all."""
    parts, place = [], 0
    for span in find_quotes(text, quotes):
        parts += [_escaped(text[place : span.begin]), Markup("<mark>")]
        parts += [_escaped(text[span.begin : span.end]), Markup("</mark>")]
        place = span.end
    return Markup("").join([*parts, _escaped(text[place:])])


def _escaped(text: str) -> Markup:
    return escape(without_controls(text))
