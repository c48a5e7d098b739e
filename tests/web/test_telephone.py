"""Every view on a telephone, by touch: targets for a finger, no sideways scroll, pinched pages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from model_server import ModelServer

import hopyard
from hopyard.testing import WordEmbedder

from .conftest import replies
from .page import LiveServer, Page, wait_for
from .test_documents import PIER, pdf

pytestmark = pytest.mark.server
SIZE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
KEYBOARD = 320
"""Pixels of the software keyboard."""
FINGER = {
    "a, input, textarea, label:has(> [type=checkbox])": 24,
    "button, nav a, summary, select": 44,
}
"""Pixels of a target at least (WCAG 2.2, 2.5.8 and 2.5.5)."""
SMALL = """
const sizes = [...document.querySelectorAll(arguments[0])]
  .filter((each) => each.checkVisibility() && !each.closest("label:has(> [type=checkbox]) > *"))
  .map((each) => [each.getBoundingClientRect(), each]);
return sizes.filter(([box]) => box.width && Math.min(box.width, box.height) < arguments[1])
  .map(([box, each]) => `${box.width} x ${box.height}: ${each.outerHTML.slice(0, 90)}`);
"""
WIDER = "return document.scrollingElement.scrollWidth - innerWidth"


@pytest.fixture
def page(browser: Any, chat: ModelServer, tmp_path: Path) -> Iterator[Page]:
    folder = tmp_path / "harbour"
    hopyard.register_embedding("words", WordEmbedder())
    folder.mkdir()
    (folder / "pier.pdf").write_bytes(pdf(PIER))
    (folder / "ferry.md").write_text("# Ferry\n\nThe Iron Ferry leaves Bristol at noon.")
    kinds = ["dense", "sparse", "entity-graph", "communities"]
    hopyard.build_index(tmp_path / "index", folder, embedding="words", kinds=kinds)
    said = {"answer": "It is open from nine to five [1].", "passages": [1]}
    chat.answer = replies({"Answer": said})
    with LiveServer(tmp_path / "index") as made:
        touched(browser, SIZE["height"])
        yield Page(browser, made)


def touched(browser: Any, height: float) -> None:
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {**SIZE, "height": height})
    touch = {"enabled": True, "maxTouchPoints": 5}
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", touch)


def tap(browser: Any, element: Any) -> None:
    """A finger on the middle of an element."""
    script = (
        "arguments[0].scrollIntoView({block: 'center'}); return arguments[0].getClientRects()[0]"
    )
    box = browser.execute_script(script, element)
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    for kind, points in (("touchStart", [at]), ("touchEnd", [])):
        event = {"type": kind, "touchPoints": points}
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", event)


def test_every_view_is_for_a_finger(page: Page, browser: Any) -> None:
    found: dict[str, list[str]] = {}

    def look(view: str) -> None:
        found[view] = []
        for targets, pixels in FINGER.items():
            found[view] += browser.execute_script(SMALL, targets, pixels)
        if (wider := browser.execute_script(WIDER)) > 0:
            found[view].append(f"{wider} pixels wider than the telephone")

    assert browser.execute_script("return matchMedia('(pointer: coarse)').matches")
    look("start")
    assert browser.switch_to.active_element.tag_name == "body"  # no keyboard until it is wanted
    assert "opens its passage" in page.text("main")
    tap(browser, page.find("form.ask summary"))
    wait_for(lambda: page.find("select[name=other] option[value=direct]"))
    look("limits")
    tap(browser, page.find("form.ask summary"))
    page.find("textarea").send_keys("When is the pier open?")
    touched(browser, SIZE["height"] - KEYBOARD)  # the keyboard is open
    box = page.find("textarea").rect
    top = box["y"] - float(browser.execute_script("return scrollY"))
    assert 0 <= top <= SIZE["height"] - KEYBOARD - box["height"]
    touched(browser, SIZE["height"])
    tap(browser, page.find("form.ask button[type=submit]"))
    wait_for(lambda: page.find("a.mark"))
    look("answer")
    tap(browser, wait_for(lambda: page.find(".steps > summary")))
    page.shows(".steps", "Strategy single")
    browser.execute_script(
        "document.querySelectorAll('.steps details').forEach((each) => (each.open = true))"
    )
    page.shows(".steps", "\nOutput\n")
    look("steps")
    tap(browser, page.find(".edit"))
    look("edit")
    tap(browser, page.find(".keep button"))
    look("keep")
    tap(browser, page.find("a.mark"))
    wait_for(lambda: page.find("aside rect"))
    look("citation")
    for view in ("documents", "search", "entities", "measure"):
        browser.get(f"{browser.current_url.partition('#')[0]}#/{view}")
        wait_for(lambda: page.find("main h1"))
        if view == "search":
            wait_for(lambda: page.find("#words")).send_keys("pier")
            tap(browser, page.find("form.search button"))
            wait_for(lambda: page.find(".columns .cite"))
        if view == "documents":
            tap(browser, wait_for(lambda: page.find(".documents summary")))
            wait_for(lambda: page.find(".documents .cite"))
        if view == "entities":
            tap(browser, wait_for(lambda: page.find(".communities summary")))
        look(view)
    assert {view: small for view, small in found.items() if small} == {}


def test_a_page_is_pinched_and_its_mark_stays_on_the_words(page: Page, browser: Any) -> None:
    page.ask("When is the pier open?")
    wait_for(lambda: page.find("a.mark"))
    tap(browser, page.find("a.mark"))
    picture = wait_for(lambda: page.find("aside img"))
    wait_for(lambda: picture.get_property("naturalWidth") == 2000)  # to be read at arm's length
    mark = wait_for(lambda: page.find("aside rect"))
    seen = "const box = arguments[0].getBoundingClientRect(); return box.left < innerWidth && "
    seen += "box.top >= 0 && box.bottom <= innerHeight"
    wait_for(lambda: browser.execute_script(seen, mark))

    def share() -> float:
        """Where the mark begins, as a share of the picture's width."""
        script = "return arguments.length && [...arguments].map((e) => e.getBoundingClientRect().x)"
        left, start = browser.execute_script(script, mark, picture)
        width = browser.execute_script("return arguments[0].getBoundingClientRect().width", picture)
        return float((left - start) / width)

    before = share()
    for apart in range(20, 160, 10):  # two fingers
        points = [{"x": 195 - apart, "y": 400, "id": 0}, {"x": 195 + apart, "y": 400, "id": 1}]
        event = {"type": "touchStart" if apart == 20 else "touchMove", "touchPoints": points}
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", event)
    browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    wait_for(lambda: browser.execute_script("return visualViewport.scale") > 1.5, 20)
    assert share() == pytest.approx(before, abs=0.005)
    assert before == pytest.approx(100 / 595, abs=0.005)
