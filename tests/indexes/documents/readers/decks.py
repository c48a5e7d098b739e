"""Slides for tests, with shapes that are given as XML."""

from __future__ import annotations

from pptx import Presentation

from ..zips import rewritten, saved


def with_shapes(xml: str) -> bytes:
    """A deck of one slide with shapes that are given as XML."""
    deck = Presentation()
    deck.slides.add_slide(deck.slide_layouts[6])
    return rewritten(
        saved(deck),
        lambda name, text: (
            text.replace("</p:spTree>", f"{xml}</p:spTree>")
            if "slides/slide1.xml" in name
            else text
        ),
    )


def shape(body: str, place: str = "") -> str:
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="9" name="x"/><p:cNvSpPr/><p:nvPr>{place}</p:nvPr></p:nvSpPr>'
        f"<p:spPr/><p:txBody><a:bodyPr/>{body}</p:txBody></p:sp>"
    )


def run(text: str, about: str = "") -> str:
    return f"<a:r><a:rPr {about}/><a:t>{text}</a:t></a:r>"
