"""The views of the page in a real browser: a picture of a page, steps, edits, documents, search."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

import hopyard
from hopyard.indexes.written.estimate import SAMPLE
from hopyard.state.settings.sources import home
from hopyard.testing import WordEmbedder

from ..indexes.kinds.passage_graph.script import questions_about
from .conftest import replies
from .page import LiveServer, Page, wait_for
from .test_documents import HOSTILE, PIER, pdf

pytestmark = [pytest.mark.server, pytest.mark.usefixtures("changes_here")]
ESCAPE = "\ue00c"


@pytest.fixture
def page(browser: Any, chat: ModelServer, tmp_path: Path) -> Iterator[Page]:
    """The page over an index of a PDF file and a file with a hostile name."""
    folder, index = tmp_path / "harbour", tmp_path / "index"
    hopyard.register_embedding("words", WordEmbedder())
    folder.mkdir()
    (folder / "pier.pdf").write_bytes(pdf(PIER))
    (folder / HOSTILE).write_text("# <script>alert(1)</script>\n\nThe ferry leaves at noon.")
    hopyard.build_index(index, folder, embedding="words")
    chat.answer = replies(
        {"Answer": {"answer": "It is open from nine to five [1].", "passages": [1]}}
    )
    with LiveServer(index) as made:
        yield Page(browser, made)


def test_a_citation_opens_in_the_picture_of_its_page(page: Page, browser: Any) -> None:
    page.complaints()
    page.find("form.ask summary").click()
    page.find("input[name=calls]").send_keys("20")
    for way in ("in", "out"):
        page.find(f"input[name=price-{way}]").send_keys("1000000")
    page.ask("When is the pier open?")
    wait_for(lambda: page.find("a.mark"))
    page.find(".citations button").click()
    assert page.find("input[name=calls]").get_property("value") == "20"
    assert re.search(r"1 call, (\d+) tokens, .* s, \1\.0000 at your prices", page.text("main"))
    picture = wait_for(lambda: page.find("aside img"))
    wait_for(lambda: browser.execute_script("return arguments[0].naturalWidth", picture) == 1000)
    assert PIER in picture.get_attribute("alt")
    assert "Page 1 of" in picture.get_attribute("alt")
    mark, frame = page.find("aside rect").rect, picture.rect
    assert mark["x"] - frame["x"] == pytest.approx(100 / 595 * frame["width"], abs=2)
    assert mark["y"] - frame["y"] < 142 / 842 * frame["height"] < mark["y"] - frame["y"] + 20
    facts = page.text("aside dl").replace("\n", " ")
    assert "Source harbour/pier.pdf" in facts or "Source pier.pdf" in facts, facts
    assert re.search(r"Page\W*1", facts)
    original = page.find("aside a[target=_blank]")
    assert original.text == "Open the original"
    assert original.get_property("href").endswith("#page=1")
    page.find("aside button[aria-pressed]").click()
    wait_for(lambda: page.find("aside img").get_property("naturalWidth") == 2000)
    page.find("aside button").send_keys(ESCAPE)
    wait_for(lambda: page.find("aside") is None)
    focused = browser.execute_script("return document.activeElement.textContent")
    assert focused.strip().startswith("[1]")

    page.find("details.steps > summary").click()
    page.shows("details.steps", "Strategy single")
    for summary in browser.find_elements("css selector", "details.steps li > details > summary"):
        summary.click()
    page.shows("details.steps > ol", "Model call, ")
    assert re.search(r"1 call, (\d+) tokens, .* s, \1\.0000 at your", page.text(".steps > ol"))
    page.find(".edit").click()
    page.find(".draft textarea").send_keys(" And when closed?")
    before = browser.current_url
    page.find(".draft button").click()
    page.shows("main h2", "When is the pier open? And when closed?")
    wait_for(lambda: page.find("a.mark"))
    assert browser.current_url != before
    assert page.complaints() == []


def drop(browser: Any, element: Any, *files: Path) -> None:
    """Drop files and folders as a person does with a mouse."""
    place = browser.execute_script(
        "const {x, y} = arguments[0].getBoundingClientRect(); return {x: x + 9, y: y + 9}", element
    )
    data = {"items": [], "files": [str(file) for file in files], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        event = {"type": kind, "data": data, **place}
        browser.execute_cdp_cmd("Input.dispatchDragEvent", event)


def test_documents_are_dropped_found_and_removed(page: Page, browser: Any, tmp_path: Path) -> None:
    page.complaints()
    (tmp_path / "buoy.pdf").write_bytes(pdf("The buoy is red."))
    page.find("nav a[href='#/documents']").click()
    page.shows(".documents", HOSTILE)
    deep = tmp_path / "ropes" / "new"
    deep.mkdir(parents=True)
    (deep / "rope.md").write_text("The rope is new.")
    for number in range(101):  # a browser gives the entries of a folder by the hundred
        (deep / f".hidden{number}").touch()
    (tmp_path / "100% #1 & co.md").write_text("All of it.")
    (deep / "broken.pdf").write_bytes(b"%PDF-1.4 and no more")
    page.find("input[type=file]").send_keys(str(tmp_path / "buoy.pdf"))
    drop(browser, page.find(".add"), tmp_path / "ropes", tmp_path / "100% #1 & co.md")
    page.shows(".add", "buoy.pdf")
    page.shows(".add", "rope.md")
    page.find(".add button").click()
    wait_for(lambda: "No model is asked" in browser.switch_to.alert.text)
    browser.switch_to.alert.accept()
    wait_for(lambda: "uploads/buoy.pdf" in page.text(".documents"))
    page.shows(".add", "3 documents added")
    page.shows(".add .doubt", "broken.pdf")  # what was left out
    page.shows(".documents", "uploads/100% #1 & co.md")

    page.find("nav a[href='#/search']").click()
    wait_for(lambda: page.find("#words")).send_keys("red buoy")
    page.find("form.search button").click()
    page.shows(".columns section mark", "The buoy is red.")
    names = [each.text for each in browser.find_elements("css selector", ".columns h2")]
    assert names == ["hybrid", "dense", "sparse"]
    page.find(".columns .cite").click()
    wait_for(lambda: page.find("aside rect"))

    page.find("nav a[href='#/documents']").click()
    wait_for(lambda: page.find("main .documents"))
    page.find("main input[type=search]").send_keys("buoy")
    wait_for(lambda: page.text(".documents").count("pdf") == 1)
    page.find(".documents summary").click()
    page.find("button[aria-label='Remove uploads/buoy.pdf']").click()
    wait_for(lambda: "Remove uploads/buoy.pdf" in browser.switch_to.alert.text)
    browser.switch_to.alert.accept()
    wait_for(lambda: "buoy" not in page.text(".documents"))
    left = [file.name for file in (home() / "uploads").rglob("*.*")]
    assert sorted(left) == ["100% #1 & co.md", "broken.pdf", "rope.md"], left
    drop(browser, page.find("nav"), tmp_path / "buoy.pdf")  # it would open in place of the page
    assert page.find("main")
    assert page.complaints() == []


def test_the_cost_of_a_change_is_told_before_it(
    browser: Any, chat: ModelServer, tmp_path: Path
) -> None:
    """A part of the files is tried with the model; the index stays as it is."""
    hopyard.register_embedding("words", WordEmbedder())
    folder, index = tmp_path / "people", tmp_path / "index"
    folder.mkdir()
    (folder / "alba.md").write_text("Alba knows Bert and Cora.")
    more = [tmp_path / f"{number}.md" for number in range(SAMPLE + 2)]
    for file in more:
        file.write_text(f"Bert knows Cora and Dirk {file.stem}.")
    chat.answer = lambda *_: questions_about("Alba", "Alba knows Bert and Cora.")
    named = {"embedding": "words", "model": "scripted"}
    hopyard.build_index(index, folder, kinds=["dense", "sparse", "passage-graph"], **named)
    with LiveServer(index) as made:
        page = Page(browser, made)
        page.complaints()
        page.find("nav a[href='#/documents']").click()
        wait_for(lambda: page.find("input[type=file]")).send_keys("\n".join(map(str, more)))
        page.shows(".add", f"\n{more[-1].name}\n")
        page.shows(".add", "Estimate the cost")
        before = len(chat.calls)
        browser.find_elements("css selector", ".add button")[1].click()
        page.shows(".add", "passage-graph: about 2 calls, ")
        assert re.search(r"about 2 calls, [1-9]\d*,?\d+ tokens", page.text(".add"))
        assert len(chat.calls) == before + SAMPLE
        page.shows("main", "1 document, 1 passage")
        wait_for(lambda: page.find(".add button")).click()
        assert "A model is asked for: passage-graph." in browser.switch_to.alert.text
        browser.switch_to.alert.accept()
        page.shows("main", f"{len(more) + 1} documents, {len(more) + 1} passages")
        assert page.complaints() == []
