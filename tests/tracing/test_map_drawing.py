"""The page of communities made by hand: its size, its text, and the cells of its maps."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hopyard.indexes.kinds.communities import overview
from hopyard.indexes.kinds.communities.overview import Overview, Parts, Quote, ShownFinding
from hopyard.tracing.index_pages import community_page

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
    page = Page(text)
    assert (page.names.count("script"), page.names.count("img")) == (2, 0)  # the page's own two
    assert "20 names without neighbours, such as &lt;/title&gt;" in text


def drawn(browser: Any, file: Path, parts: Parts, width: int = 1200) -> Any:
    file.write_text(community_page(whole(*parts.shown, smaller=parts.smaller), "index"), "utf-8")
    browser.set_window_size(width, 900)
    browser.get(file.as_uri())
    return browser.find_elements("css selector", "#map .cell")


def test_cells_have_the_share_of_their_entities_and_the_shade_of_their_rating(
    browser: Any, tmp_path: Path
) -> None:
    parts = Parts((part(10, 6), part(0, 3), part(5, 3)))
    cells = drawn(browser, tmp_path / "map.html", parts)
    sizes = [cell.rect["width"] * cell.rect["height"] for cell in cells]
    assert [size / sum(sizes) for size in sizes] == pytest.approx([0.5, 0.25, 0.25], abs=0.02)
    classes = [cell.get_attribute("class") for cell in cells]
    assert classes == ["cell rated-3", "cell rated-0", "cell rated-2"]
    links = [str(cell.get_attribute("href")).partition("#")[2] for cell in cells]
    assert links == ["c-0-10", "c-0-0", "c-0-5"]
    assert drawn(browser, tmp_path / "map.html", Parts(parts.shown[:1])) == []


def test_a_strip_stands_for_the_communities_without_a_cell(browser: Any, tmp_path: Path) -> None:
    parts = Parts(tuple(part(number) for number in range(45)), smaller=7)
    *cells, rest = drawn(browser, tmp_path / "map.html", parts)
    assert len(cells) == 40
    assert rest.text == "12 smaller"
    assert str(rest.get_attribute("href")).endswith("#c-0-40")


def test_the_map_shows_the_communities_inside(browser: Any, tmp_path: Path) -> None:
    inside = Parts((part(0, 3, level=1), part(1, 2, level=1)), alone=1)
    parts = Parts((part(0, 6, inside=inside), part(1, 6)))
    drawn(browser, tmp_path / "map.html", parts)
    assert len(browser.find_elements("css selector", "#map .line")) == 2


def test_single_names_are_counted_on_one_line() -> None:
    inside = Parts((part(0, 3, level=1),), alone=2, names=("Bell", "Watt"))
    shown = Overview(9, 4, 0, (), Parts((part(0, inside=inside),), alone=812, names=("Nobody",)))
    text = community_page(shown, "index")
    assert '<p class="alone">and 2 single names: Bell, Watt</p></div>' in text
    assert "and 812 names without neighbours, such as Nobody</p>" in text
