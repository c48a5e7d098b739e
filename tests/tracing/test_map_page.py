"""The page of an index with communities: each once, with quotes, and in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hopyard.cli.graph.commands import app
from hopyard.indexes.corpus.records import Document
from hopyard.indexes.index import Index
from hopyard.indexes.kinds.communities import overview
from hopyard.indexes.kinds.communities.index import CommunityIndex
from hopyard.indexes.kinds.communities.overview import (
    Overview,
    Part,
    Parts,
    overview_of,
)
from hopyard.indexes.kinds.communities.records import Finding, Report
from hopyard.state.errors import UsageError
from hopyard.state.references import reference
from hopyard.tracing.index_pages import community_page

from ..indexes.kinds.communities.families import FAMILIES, Families, families
from .made_map import HOSTILE, Page


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
    return overview_of(shown, graph, opened.passages, **limits)


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
    assert not {"img", "link", "iframe"} & set(page.names)
    assert {address[1:] for address in page.addresses} <= set(page.ids)
    assert all(address.startswith("#") for address in page.addresses)
    assert len(page.ids) == len(set(page.ids))
    assert "default-src 'none'; style-src 'sha256-" in text
    assert "; script-src 'sha256-" in text
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
    first = overview_of(index, opened.reader("entity-graph"), opened.passages).root.shown[0]
    assert first.title.endswith("title …") and len(first.title) < 125
    assert first.summary.endswith("summary …") and len(first.summary) < 805
    assert [one.explanation for one in first.findings] == ["b."]


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


def cells(browser: Any, place: str) -> list[Any]:
    return [
        cell
        for cell in browser.find_elements("css selector", f"{place} > .cell")
        if cell.is_displayed()
    ]


def opened_communities(browser: Any) -> list[str]:
    return [
        one.get_attribute("textContent")
        for one in browser.find_elements("css selector", "details[open] > summary > code")
    ]


def test_the_map_opens_from_level_to_level(browser: Any, file: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    browser.get(file.as_uri())
    assert opened_communities(browser) == []
    roots = cells(browser, "#map")
    assert len(roots) == len(FAMILIES)
    roots[0].click()
    assert opened_communities(browser) == ["0-0"]
    cells(browser, "#c-0-0 > .map")[0].send_keys(Keys.ENTER)
    first, second = opened_communities(browser)
    assert first == "0-0"
    assert second.startswith("1-")
    assert browser.find_element("id", f"c-{second}").is_displayed()
    assert browser.get_log("browser") == []


def test_without_a_script_the_list_is_there_and_no_map(browser: Any, file: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(file.as_uri())
        assert not browser.find_element("id", "picture").is_displayed()
        first = browser.find_element("css selector", "#communities > details > summary")
        first.click()
        assert opened_communities(browser) == ["0-0"]
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_no_text_of_a_document_runs(browser: Any, file: Path) -> None:
    browser.get(file.as_uri())
    assert browser.execute_script("return window.hacked") is None
    assert browser.find_elements("css selector", "main img, main script") == []
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
        assert len(cells(browser, "#map")) == len(FAMILIES)
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
