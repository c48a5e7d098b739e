"""The page in a real browser: keyboard, screen reader, colours, widths, and no script of others."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hopyard.state.schemas import Step
from hopyard.tracing.drawing import drawing_of
from hopyard.tracing.model import Trace
from hopyard.tracing.plain import as_plain
from hopyard.tracing.trace_page import trace_page

from .made import HOSTILE, IRON, cited, made_trace, use


def opened(browser: Any, file: Path, trace: Trace) -> Any:
    file.write_text(trace_page(trace), encoding="utf-8")
    browser.get(file.as_uri())
    return browser


def chosen(browser: Any) -> str:
    """The step whose details are shown, and which is selected: the same one."""
    script = "return [...document.querySelectorAll('.detail')].filter(detail => !detail.hidden)"
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
    texts = [part.get_attribute("textContent") for part in body.find_elements("tag name", "p")]
    assert HOSTILE in texts
    assert browser.get_log("browser") == []


def test_the_policy_stops_a_script_that_is_put_in(
    browser: Any, trace: Trace, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    file.write_text(
        trace_page(trace).replace("</main>", "<script>window.hacked = 5</script></main>")
    )
    browser.get(file.as_uri())
    assert browser.execute_script("return window.hacked") is None
    assert any("Content Security" in entry["message"] for entry in browser.get_log("browser"))


def test_the_keyboard_reaches_every_step(browser: Any, trace: Trace, tmp_path: Path) -> None:
    opened(browser, tmp_path / "page.html", trace)
    assert chosen(browser) == "root"
    browser.find_element("css selector", '[data-step="root"]').send_keys("")
    browser.execute_script("document.querySelector('[data-step=\"root\"]').focus()")
    assert press(browser, "HOME") == "gate"
    order = [step.id for step in trace.walk()]
    for name in order[1:]:
        assert press(browser, "ARROW_DOWN") == name
    assert press(browser, "HOME", "ARROW_DOWN", "ARROW_DOWN", "ARROW_LEFT") == "strategy"
    assert press(browser, "ARROW_DOWN") == "strategy"  # it is closed: nothing lies below
    assert press(browser, "ARROW_RIGHT", "ARROW_DOWN") == "root"
    press(browser, "ENTER")
    focused = browser.switch_to.active_element
    assert focused.get_attribute("id") == "title-root"


def test_a_screen_reader_is_told_level_place_and_name(
    browser: Any, trace: Trace, tmp_path: Path
) -> None:
    opened(browser, tmp_path / "page.html", trace)
    browser.execute_cdp_cmd("Accessibility.enable", {})

    def find(role: str) -> list[Any]:
        nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
        return [node for node in nodes if node.get("role", {}).get("value") == role]

    from selenium.webdriver.support.ui import WebDriverWait

    items = WebDriverWait(browser, 10).until(lambda _: find("treeitem"))  # made behind the page
    names = [item["name"]["value"] for item in items]
    assert len(items) == len(list(trace.walk()))
    assert any(name.startswith(f"question, {IRON}") for name in names)
    (tree,) = find("tree")
    assert tree["name"]["value"].lower() == "steps"


def test_a_box_opens_its_step_and_a_passage_its_text(
    browser: Any, trace: Trace, tmp_path: Path
) -> None:
    opened(browser, tmp_path / "page.html", trace)
    boxes = browser.find_elements("css selector", ".box")
    assert len(boxes) == len(drawing_of(trace).boxes)
    thrown, pruned = browser.find_elements("css selector", ".box.pruned")[:2]
    browser.execute_script("arguments[0].click()", pruned)
    assert chosen(browser) == "root.1.1"
    browser.execute_script("arguments[0].click()", thrown)
    assert chosen(browser) == "root"
    link = browser.find_element("css selector", "#detail-root\\.2 .found a")
    target = str(link.get_attribute("href")).partition("#")[2]
    browser.execute_script("arguments[0].click()", link)
    assert browser.find_element("id", target).get_attribute("open") is not None
    marks = browser.find_elements("css selector", ".passage mark")
    assert any("1999" in mark.get_attribute("textContent") for mark in marks)


def test_the_trace_is_downloaded_as_json(browser: Any, trace: Trace, tmp_path: Path) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    saved = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", saved)
    opened(browser, tmp_path / "page.html", trace)
    browser.find_element("id", "download").click()
    file = tmp_path / "trace-mine.json"
    WebDriverWait(browser, 10).until(lambda _: file.exists())
    assert json.loads(file.read_text()) == json.loads(json.dumps(as_plain(trace)))
    assert browser.get_log("browser") == []


def test_a_bar_of_the_time_line_opens_its_step(browser: Any, tmp_path: Path) -> None:
    steps = [Step(id="a", kind="read"), Step(id="b", kind="sum")]
    made = made_trace(steps, uses=[replace(use("b"), at="2026-01-01T10:00:02.000Z")])
    opened(browser, tmp_path / "page.html", made)
    browser.find_element("css selector", ".bars a").click()
    assert chosen(browser) == "b"
    call = browser.find_element("css selector", "#detail-b .call")
    assert not call.find_element("tag name", "pre").is_displayed()
    call.find_element("tag name", "summary").click()
    assert call.find_element("tag name", "pre").text == "{}"


def background(browser: Any) -> tuple[int, ...]:
    colour = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    return tuple(int(number) for number in re.findall(r"\d+", colour)[:3])


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


@pytest.mark.parametrize("width", [360, 390, 1280])
@pytest.mark.parametrize("name", ["hops", "trace"])
def test_nothing_is_wider_than_the_window(
    browser: Any, request: pytest.FixtureRequest, tmp_path: Path, name: str, width: int
) -> None:
    """Neither the page nor a number in a table, which would be broken between its digits."""
    shown = request.getfixturevalue(name)
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        opened(browser, tmp_path / "page.html", shown)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        lines = (
            "return [...document.querySelectorAll('.detail:not([hidden]) .calls .number')]"
            ".map(cell => { const range = document.createRange(); range.selectNodeContents(cell);"
            " return range.getClientRects().length; })"
        )
        numbers = browser.execute_script(lines)
        assert set(numbers) <= {1}
        assert numbers or name == "hops"
        assert browser.find_elements("css selector", ".box")
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_without_a_script_everything_is_there(browser: Any, trace: Trace, tmp_path: Path) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened(browser, tmp_path / "page.html", trace)
        details = browser.find_elements("css selector", ".detail")
        assert len(details) == len(list(trace.walk()))
        assert all(detail.is_displayed() for detail in details)
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_mark_opens_the_folded_sources(browser: Any, tmp_path: Path) -> None:
    made = made_trace([], answer="It opened [13].", citations=[cited("a")] * 13)
    opened(browser, tmp_path / "page.html", made)
    assert not browser.find_element("id", "source-13").is_displayed()
    browser.find_element("css selector", "a.mark").click()
    assert browser.find_element("id", "source-13").is_displayed()


def test_an_answer_with_a_wide_table_fits_a_telephone(browser: Any, tmp_path: Path) -> None:
    row = "|" + " a-long-word-in-a-cell |" * 12
    answer = f"# Head\n\n{row}\n{'|---' * 12}|\n{row}\n\n```\n{'x' * 300}\n```"
    opened(browser, tmp_path / "page.html", made_trace([], answer=answer))
    browser.set_window_size(500, 900)  # the narrowest window of headless Chromium
    script = "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    wide, seen = browser.execute_script(script)
    browser.set_window_size(1280, 1400)
    assert wide <= seen
    assert browser.get_log("browser") == []
