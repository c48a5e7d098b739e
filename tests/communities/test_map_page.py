"""The page of the communities: each once, with quotes, escaped, of limited size, in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hopyard.cli.graph import app
from hopyard.indexes.corpus_index import Index
from hopyard.indexes.kinds.communities import overview
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.overview import (
    Overview,
    Part,
    Parts,
    Quote,
    ShownFinding,
    overview_of,
)
from hopyard.indexes.kinds.communities.records import Community, Finding, Report
from hopyard.indexes.records import Document
from hopyard.state.errors import UsageError
from hopyard.state.references import reference
from hopyard.tracing.community_drawing import draw_map
from hopyard.tracing.community_page import community_page

from .families import FAMILIES, Families, families

HOSTILE = '</title><script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">'


class Page(HTMLParser):
    """The elements of a page, and which community is inside which."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.parents: dict[str, str] = {}
        """The community that each is inside; "" for none."""
        self._open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        assert not any(name.startswith("on") or name == "style" for name in given)
        self.names.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.addresses += [given[name] for name in ("href", "src", "action") if name in given]
        if tag == "div" and given.get("class") == "body":
            name = given["id"].removeprefix("c-")
            assert name not in self.parents
            self.parents[name] = self._open[-1] if self._open else ""
            self._open.append(name)

    def handle_endtag(self, tag: str) -> None:
        if tag == "details":
            self._open.pop()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Families:
    """Three levels, with reports, a name without neighbours, and a hostile passage."""
    made = Families(tmp_path_factory.mktemp("map") / "<index>", max_size=3)
    hostile = Document("hostile", HOSTILE, f"It was Anna Adler who met Emil Adler. {HOSTILE}")
    made.build([*families(), hostile, Document("alone", "", "Nobody knows Zanzibar.")])
    return made


@pytest.fixture
def opened(library: Families) -> Iterator[Index]:
    with library.open() as index:
        yield index


def overview_for(opened: Index, *, reports: bool = True, **limits: int) -> Overview:
    found: CommunityIndex = opened.reader("communities")
    shown = found if reports else CommunityIndex(found.files, {})
    graph = opened.reader("entity-graph")
    return overview_of(shown, graph, opened.passages, "rarity", **limits)


def all_parts(parts: Parts) -> Iterator[Part]:
    for part in parts.shown:
        yield part
        yield from all_parts(part.inside)


def all_groups(parts: Parts) -> list[Parts]:
    return [parts, *(part.inside for part in all_parts(parts))]


def test_the_command_writes_a_page_that_loads_nothing(library: Families, tmp_path: Path) -> None:
    file = tmp_path / "map.html"
    made = CliRunner().invoke(
        app, ["communities", str(library.directory), "--html", str(file)], catch_exceptions=False
    )
    assert made.stdout == f"{file} written\n"
    text = file.read_text(encoding="utf-8")
    page = Page(text)
    assert not {"script", "img", "link", "iframe"} & set(page.names)
    assert {address[1:] for address in page.addresses} <= set(page.ids)
    assert all(address.startswith("#") for address in page.addresses)
    assert len(page.ids) == len(set(page.ids))
    assert "default-src 'none'; style-src 'sha256-" in text
    assert "script-src" not in text
    assert "<h1>Communities of &lt;index&gt;</h1>" in text
    with pytest.raises(UsageError, match="leave out --html"):
        CliRunner().invoke(
            app,
            ["communities", str(library.directory), "--html", str(file), "--json"],
            catch_exceptions=False,
        )


def test_each_community_is_there_once_inside_its_parent(opened: Index) -> None:
    found: CommunityIndex = opened.reader("communities")
    communities = list(map(found.community, found.ids))
    expected = {one.id: one.parent for one in communities if len(one.entities) > 1}
    assert max(one.level for one in communities) >= 2
    text = community_page(overview_for(opened), "index")
    assert Page(text).parents == expected
    assert '<p class="alone">and 1 name without neighbours: Zanzibar</p>' in text
    root = overview_for(opened).root
    entities = sum(len(part.community.entities) for part in root.shown) + root.alone
    assert entities == overview_for(opened).entities


def test_findings_are_quoted_by_sentences_of_their_passages(opened: Index) -> None:
    shown = overview_for(opened)
    graph = opened.reader("entity-graph")
    texts = {reference(one.as_source()): one.text for one in opened.passages(graph.passage_ids)}
    findings = [(part, one) for part in all_parts(shown.root) for one in part.findings]
    assert {part.community.id for part, _ in findings} == {
        part.community.id for part in all_parts(shown.root)
    }
    text = community_page(shown, "index")
    for _, one in findings:
        assert (one.summary, one.explanation) == ("They met", "So it is.")
        for quote in one.quotes:
            assert quote.text in texts[quote.name]
        assert one.quotes
    assert "<b>They met</b> So it is.<ul" in text
    assert "<q>It was Anna Adler who met Boris Adler on day 0.</q> <cite>adler-0</cite>" in text


def test_a_community_without_a_report_shows_names_and_sentences(opened: Index) -> None:
    shown = overview_for(opened, reports=False)
    text = community_page(shown, "index")
    assert "There are no reports yet. A report is written when a question needs it." in text
    fuchs = next(part for part in shown.root.shown if "Fuchs" in part.title)
    assert len(fuchs.names) == 7
    assert fuchs.title == ", ".join(fuchs.names[:3])
    graph = opened.reader("entity-graph")
    members = [graph.label(entity) for entity in fuchs.community.entities]
    assert set(fuchs.names) == set(members)
    for quote in fuchs.quotes:
        assert sum(name in quote.text for name in members) == 2
    assert len(fuchs.quotes) == 2
    assert text.count("No report yet: it is written when a question needs it.") == len(
        list(all_parts(shown.root))
    )
    assert 'class="findings"' not in text


def test_the_largest_communities_are_chosen_and_the_others_counted(opened: Index) -> None:
    whole = overview_for(opened)
    count = len(list(all_parts(whole.root)))
    few = overview_for(opened, most=8)
    chosen = list(all_parts(few.root))
    assert len(chosen) == 8
    assert [len(part.community.entities) for part in chosen if part.community.level == 0] == [
        len(part.community.entities) for part in whole.root.shown
    ]
    left = sum(group.smaller for group in all_groups(few.root))
    known = {part.community.id for part in chosen}
    missing = [part for part in all_parts(whole.root) if part.community.id not in known]
    assert len(missing) == count - 8
    assert left == sum(part.community.parent in {*known, ""} for part in missing) > 0
    assert "smaller communities</p>" in community_page(few, "index")


def test_findings_end_when_the_page_is_full(opened: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "_CHARACTERS", 1)
    shown = overview_for(opened)
    told = [part.community.id for part in all_parts(shown.root) if part.findings]
    assert told == [shown.root.shown[0].community.id]
    text = community_page(shown, "index")
    others = len(list(all_parts(shown.root))) - 1
    assert text.count("1 finding left out: only larger communities show theirs") == others


def part(number: int, size: int = 5, level: int = 0, **more: Any) -> Part:
    """A community with texts of the greatest length."""
    community = Community(
        id=f"{level}-{number}", level=level, entities=tuple(range(size)), passages=1, title="t"
    )
    report = Report(community=community.id, title="t", summary="s", rating=number % 11)
    made = Part(
        community, "t" * 120, ("n" * 60,) * 8, report, "s" * 800, (), (Quote("p", "q"),), Parts(())
    )
    return replace(made, **more)


def whole(*parts: Part) -> Overview:
    return Overview(9, len(parts), 1, ((len(parts), 0.5),), Parts(parts))


def test_a_page_has_a_few_megabytes_at_most() -> None:
    finding = ShownFinding("s" * 100, "e" * 300, (Quote("p" * 50, "q" * 200),) * 3)
    room = overview._CHARACTERS // 1000
    shown = [
        part(number, findings=(finding,) if number < room else ())
        for number in range(overview.MOST)
    ]
    assert len(community_page(whole(*shown), "index").encode()) < 7_000_000


def test_long_texts_are_cut(opened: Index) -> None:
    found: CommunityIndex = opened.reader("communities")
    long = Report(
        community="0-0",
        title="title " * 100,
        summary="summary " * 1000,
        rating=1,
        findings=(Finding(summary="a", explanation="b [E0].", elements=("E0",)),),
    )
    index = CommunityIndex(found.files, {"0-0": long})
    first = overview_of(index, opened.reader("entity-graph"), opened.passages, "rarity").root.shown[
        0
    ]
    assert first.title.endswith("title …") and len(first.title) < 125
    assert first.summary.endswith("summary …") and len(first.summary) < 805
    assert [one.explanation for one in first.findings] == ["b."]


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


def test_an_index_without_names_has_a_page(tmp_path: Path) -> None:
    made = Families(tmp_path / "index", reports="on-demand")
    made.build([Document("plain", "", "nothing is named here.")])
    with made.open() as index:
        assert "<p>None.</p>" in community_page(overview_for(index), "index")


# In a browser


@pytest.fixture
def file(opened: Index, tmp_path: Path) -> Path:
    made = tmp_path / "map.html"
    made.write_text(community_page(overview_for(opened), "index"), encoding="utf-8")
    return made


def cells(browser: Any, form: str) -> list[Any]:
    found = browser.find_elements("css selector", f".map.{form} .cell")
    return [cell for cell in found if cell.is_displayed()]


def opened_communities(browser: Any) -> list[str]:
    return [
        one.get_attribute("textContent")
        for one in browser.find_elements("css selector", "details[open] > summary > code")
    ]


def test_the_map_opens_from_level_to_level_without_a_script(browser: Any, file: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(file.as_uri())
        assert opened_communities(browser) == []
        roots = cells(browser, "wide")
        assert len(roots) == len(FAMILIES)
        roots[0].click()
        assert opened_communities(browser) == ["0-0"]
        cells(browser, "inner")[0].send_keys(Keys.ENTER)
        first, second = opened_communities(browser)
        assert first == "0-0"
        assert second.startswith("1-")
        assert browser.find_element("id", f"c-{second}").is_displayed()
        assert browser.get_log("browser") == []
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_no_text_of_a_document_runs(browser: Any, file: Path) -> None:
    browser.get(file.as_uri())
    assert browser.execute_script("return window.hacked") is None
    assert browser.find_elements("css selector", "main img, script") == []
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("width", [390, 1200])
def test_nothing_is_wider_than_the_window(browser: Any, file: Path, width: int) -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        browser.get(file.as_uri())
        browser.execute_script(
            "document.querySelectorAll('details').forEach(one => { one.open = true })"
        )
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert len(cells(browser, "narrow" if width < 500 else "wide")) == len(FAMILIES)
        assert not cells(browser, "wide" if width < 500 else "narrow")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
