"""The page of communities made by hand: its size, its text, and the cells of its maps."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from hopyard.indexes.kinds.communities import overview
from hopyard.indexes.kinds.communities.overview import Overview, Parts, Quote, ShownFinding
from hopyard.tracing.community_drawing import draw_map
from hopyard.tracing.community_page import community_page

from .made_map import HOSTILE, Page, part, whole


def test_a_page_has_a_few_megabytes_at_most() -> None:
    finding = ShownFinding("s" * 100, "e" * 300, (Quote("p" * 50, "q" * 200),) * 3)
    room = overview._CHARACTERS // 1000
    shown = [
        part(number, findings=(finding,) if number < room else ())
        for number in range(overview.MOST)
    ]
    assert len(community_page(whole(*shown), "index").encode()) < 7_000_000


def test_every_text_is_escaped() -> None:
    hostile = part(
        0,
        title=HOSTILE,
        names=(HOSTILE,),
        summary=HOSTILE,
        findings=(ShownFinding(HOSTILE, HOSTILE, (Quote(HOSTILE, HOSTILE),)),),
    )
    bare = part(1, title=HOSTILE, report=None, summary="", quotes=(Quote(HOSTILE, HOSTILE),))
    shown = whole(hostile, bare)
    shown = replace(shown, root=replace(shown.root, alone=20, names=(HOSTILE,)))
    text = community_page(shown, HOSTILE)
    assert not {"script", "img"} & set(Page(text).names)
    assert "20 names without neighbours, such as &lt;/title&gt;" in text


def test_cells_have_the_share_of_their_entities_and_the_shade_of_their_rating() -> None:
    parts = Parts((part(10, 6), part(0, 3), part(5, 3)))
    places = r'<foreignObject x="[\d.]+%" y="[\d.]+%" width="([\d.]+)%" height="([\d.]+)%">'
    drawn = re.findall(places + r'<a class="cell( rated-\d)?" href="#c-(0-\d+)"', draw_map(parts))
    shares = {name: float(width) * float(height) / 100 for width, height, _, name in drawn}
    assert shares == pytest.approx({"0-10": 50, "0-0": 25, "0-5": 25}, abs=0.1)
    assert [shade for *_, shade, _ in drawn] == [" rated-3", " rated-0", " rated-2"]
    assert draw_map(Parts(parts.shown[:1])) == ""


def test_a_strip_stands_for_the_communities_without_a_cell() -> None:
    parts = Parts(tuple(part(number) for number in range(20)), smaller=7)
    text = draw_map(parts)
    assert text.count('class="cell rated') == 16
    assert '<a class="cell rest" href="#c-0-16"><b>11 smaller</b></a>' in text


def test_the_root_map_shows_the_communities_inside() -> None:
    inside = Parts((part(0, 3, level=1), part(1, 2, level=1)), alone=1)
    parts = Parts((part(0, 6, inside=inside), part(1, 6)))
    assert draw_map(parts).count("<rect") == 0
    wide, narrow = draw_map(parts, root=True).split("</svg>")[:2]
    assert wide.count("<rect") == narrow.count("<rect") == 2


def test_single_names_are_counted_on_one_line() -> None:
    inside = Parts((part(0, 3, level=1),), alone=2, names=("Bell", "Watt"))
    shown = Overview(9, 4, 0, (), Parts((part(0, inside=inside),), alone=812, names=("Nobody",)))
    text = community_page(shown, "index")
    assert '<p class="alone">and 2 single names: Bell, Watt</p></div>' in text
    assert "and 812 names without neighbours, such as Nobody</p>" in text
