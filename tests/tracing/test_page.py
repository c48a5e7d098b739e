"""The page: self-contained, escaped, and usable in a real browser."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hopyard.agent.session import open_session
from hopyard.models import chat, embeddings
from hopyard.models.chat import ChatProvider
from hopyard.state.settings import Context
from hopyard.tracing.drawing import drawing_of
from hopyard.tracing.model import Trace
from hopyard.tracing.page import page
from hopyard.tracing.read import read_trace

from ..graphs.conftest import EMBEDDING, Words, changed
from ..graphs.script import ScriptedChat, rubric, said, scores, split
from ..hop.script import HopScript
from .conftest import HOSTILE

QUESTION = 'Which <b>gate</b> opened first, "the" Iron Bridge or </script> the gate?'
IRON = "When was the Iron Bridge opened?"
GATE = "When was the gate opened </title><script>window.hacked = 3</script>?"


TREE = {
    ("split", QUESTION): split(IRON, GATE),
    ("split", IRON): split("Iron <i>left</i>?", "Iron right?"),
    ("judge", QUESTION): scores(15),
    ("judge", IRON): scores(3),
    ("rubric", IRON): rubric(4),
    ("aggregate", QUESTION): said("1999"),
}
"""A tree with a pruned half, and hostile questions over a hostile passage."""

BRIDGE = "How long is the river of the Iron Bridge?"
USEFUL = {
    "When was the Stone Bridge completed?": "necessary",
    "When was the cathedral of Regensburg begun?": "indirect",
}


class Runs(NamedTuple):
    """The traces that all tests here look at, made once."""

    tree: Trace
    hops: Trace


@pytest.fixture(scope="module")
def runs(index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runs]:
    script = HopScript()
    script.lines, script.useful = dict(TREE), USEFUL
    model: Any = ScriptedChat(script)
    provider = ChatProvider("scripted", lambda _: model, 16, keep_prefixes=False, cure="")
    base = Context(index=str(index), model="scripted", embedding=EMBEDDING, retries=0)
    tree = changed(base, strategy="tree", tree__max_depth=2, tree__retries=0, retrieval__k=9)
    hop = changed(base, strategy="hop", hop__n_hop=2, hop__top_k=2)

    async def run() -> Runs:
        async with open_session() as session:
            for question, context, thread in ((QUESTION, tree, "tree"), (BRIDGE, hop, "hop")):
                async for _ in session.ask(question, context, thread):
                    pass
            return Runs(await read_trace(session, "tree"), await read_trace(session, "hop"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOPYARD_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setitem(chat._registered, "scripted", provider)
        patch.setitem(embeddings._registered, EMBEDDING, Words())
        yield asyncio.run(run())


@pytest.fixture
def trace(runs: Runs) -> Trace:
    return runs.tree


@pytest.fixture
def hops(runs: Runs) -> Trace:
    return runs.hops


class Elements(HTMLParser):
    """Every element of a page, and the addresses that it names."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.addresses: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        for name, value in attrs:
            self.attributes.add(name)
            if name in {"src", "href", "action", "data"}:
                self.addresses.append(value or "")


def test_it_loads_nothing_and_is_small(trace: Trace) -> None:
    text = page(trace)
    found = Elements(text)
    assert all(one.startswith("#") for one in found.addresses)
    assert found.names.count("script") == 3  # the drawing's data, the library, the page's own
    assert not {"img", "link", "iframe", "object"} & set(found.names)
    assert not {one for one in found.attributes if one.startswith("on")}
    assert "default-src 'none'" in text
    assert "Permission to use, copy, modify" in text  # the library's licence goes with it
    assert len(text.encode()) < 500_000


def test_every_text_is_escaped(trace: Trace) -> None:
    text = page(trace)
    hostile = trace.passages["hostile"]
    assert hostile.text == HOSTILE
    assert "</script><script>window" not in text
    assert "<script>window" not in text
    assert "<img" not in text
    assert "&lt;b&gt;Nobody&lt;/b&gt; &amp; &quot;nothing&quot;" in text
    assert "Which &lt;b&gt;gate&lt;/b&gt; opened" in text


def test_the_page_reloads_itself_only_while_it_is_followed(trace: Trace) -> None:
    assert 'http-equiv="refresh"' not in page(trace)
    assert '<meta http-equiv="refresh" content="1">' in page(trace, reload_seconds=1.0)


def test_the_drawing_shows_what_was_pruned(trace: Trace) -> None:
    drawing = drawing_of(trace)
    states = {box.label: box.state for box in drawing.boxes}
    assert states[QUESTION] == "answer"
    assert states["Iron <i>left</i>?"] == states["Iron right?"] == "pruned"
    assert states[GATE] == "kept"
    assert drawing.boxes[0].parent == ""


def test_the_drawing_of_hops_is_a_tree_with_further_links(hops: Trace) -> None:
    drawing = drawing_of(hops)
    parents = {box.label: box.parent for box in drawing.boxes}
    ids = {box.label: box.id for box in drawing.boxes}
    assert parents["Danube"] == "question"
    assert parents["Stone Bridge"] == ids["Danube"]
    assert parents["Regensburg"] == ids["Stone Bridge"]
    assert {link.target for link in drawing.links} <= set(ids.values())


# In a browser


def opened(browser: Any, file: Path, trace: Trace) -> Any:
    file.write_text(page(trace), encoding="utf-8")
    browser.get(file.as_uri())
    return browser


def chosen(browser: Any) -> str:
    """The step whose details are shown, and which is selected: the same one."""
    script = "return [...document.querySelectorAll('.detail')].filter(one => !one.hidden)"
    (detail,) = browser.execute_script(script)
    (item,) = browser.find_elements("css selector", '[role="treeitem"][aria-selected="true"]')
    name = str(item.get_attribute("data-step"))
    assert detail.get_attribute("id") == f"detail-{name}"
    return name


def press(browser: Any, *keys: str) -> str:
    from selenium.webdriver.common.keys import Keys

    for key in keys:
        browser.switch_to.active_element.send_keys(getattr(Keys, key))
    return chosen(browser)


def test_no_text_of_a_document_runs(browser: Any, trace: Trace, tmp_path: Path) -> None:
    opened(browser, tmp_path / "page.html", trace)
    assert browser.execute_script("return window.hacked") is None
    assert browser.find_elements("css selector", "#evidence-title ~ * img, .detail script") == []
    body = browser.find_element("id", "passage-1").find_element("xpath", "..")
    texts = [one.get_attribute("textContent") for one in body.find_elements("tag name", "p")]
    assert HOSTILE in texts
    assert browser.get_log("browser") == []


def test_the_policy_stops_a_script_that_is_put_in(
    browser: Any, trace: Trace, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    file.write_text(page(trace).replace("</main>", "<script>window.hacked = 5</script></main>"))
    browser.get(file.as_uri())
    assert browser.execute_script("return window.hacked") is None
    assert any("Content Security Policy" in one["message"] for one in browser.get_log("browser"))


def test_the_keyboard_reaches_every_step(browser: Any, trace: Trace, tmp_path: Path) -> None:
    opened(browser, tmp_path / "page.html", trace)
    assert chosen(browser) == "tree-root"
    browser.find_element("css selector", '[data-step="tree-root"]').send_keys("")
    browser.execute_script("document.querySelector('[data-step=\"tree-root\"]').focus()")
    assert press(browser, "HOME") == "gate"
    order = [one.id for one in trace.walk()]
    for name in order[1:]:
        assert press(browser, "ARROW_DOWN") == name
    assert press(browser, "HOME", "ARROW_DOWN", "ARROW_DOWN", "ARROW_LEFT") == "strategy"
    assert press(browser, "ARROW_DOWN") == "strategy"  # it is closed: nothing lies below
    assert press(browser, "ARROW_RIGHT", "ARROW_DOWN") == "tree-root"
    press(browser, "ENTER")
    focused = browser.switch_to.active_element
    assert focused.get_attribute("id") == "title-tree-root"


def test_a_screen_reader_is_told_level_place_and_name(
    browser: Any, trace: Trace, tmp_path: Path
) -> None:
    opened(browser, tmp_path / "page.html", trace)
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    items = [one for one in nodes if one.get("role", {}).get("value") == "treeitem"]
    names = [one["name"]["value"] for one in items]
    assert len(items) == len(list(trace.walk()))
    assert any(name.startswith(f"question, {IRON}") for name in names)
    (tree,) = [one for one in nodes if one.get("role", {}).get("value") == "tree"]
    assert tree["name"]["value"].lower() == "steps"


def test_a_box_opens_its_step_and_a_passage_its_text(
    browser: Any, trace: Trace, tmp_path: Path
) -> None:
    opened(browser, tmp_path / "page.html", trace)
    boxes = browser.find_elements("css selector", ".box")
    assert len(boxes) == len(drawing_of(trace).boxes)
    pruned = browser.find_element("css selector", ".box.pruned")
    browser.execute_script("arguments[0].click()", pruned)
    assert chosen(browser) == "tree-1.1"
    link = browser.find_element("css selector", "#detail-tree-1\\.1 .found a")
    target = str(link.get_attribute("href")).partition("#")[2]
    browser.execute_script("arguments[0].click()", link)
    assert browser.find_element("id", target).get_attribute("open") is not None
    marks = browser.find_elements("css selector", ".passage mark")
    assert any("1999" in one.get_attribute("textContent") for one in marks)


def background(browser: Any) -> tuple[int, ...]:
    colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    return tuple(int(one) for one in re.findall(r"\d+", colour)[:3])


def test_light_and_dark_follow_the_system_and_the_switch(
    browser: Any, trace: Trace, tmp_path: Path
) -> None:
    def system(scheme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    opened(browser, tmp_path / "page.html", trace)
    system("light")
    light = background(browser)
    system("dark")
    dark = background(browser)
    assert sum(dark) < 150
    assert sum(light) > 600
    switch = browser.find_element("id", "theme")
    for value, wanted in (("light", light), ("dark", dark), ("", dark)):
        script = (
            "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))"
        )
        browser.execute_script(script, switch, value)
        assert background(browser) == wanted
    system("light")
    assert background(browser) == light


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_window(
    browser: Any, hops: Trace, tmp_path: Path, width: int
) -> None:
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        opened(browser, tmp_path / "page.html", hops)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.find_elements("css selector", ".box")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_without_a_script_everything_is_there(browser: Any, trace: Trace, tmp_path: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened(browser, tmp_path / "page.html", trace)
        details = browser.find_elements("css selector", ".detail")
        assert len(details) == len(list(trace.walk()))
        assert all(one.is_displayed() for one in details)
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
