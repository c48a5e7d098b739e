"""A saved trace is one file: it asks nobody, runs nothing of others, and everybody can read it."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from hopyard.models.ledger import Use
from hopyard.state.schemas import Step, passage_evidence
from hopyard.tracing.model import Earlier, Trace
from hopyard.web.saved import saved_trace

from ...tracing.made import (
    HOSTILE,
    IRON,
    QUESTION,
    TREE,
    cited,
    made_trace,
    question,
    use,
    with_texts,
)
from ..page import LOOKS, faults, look, wait_for
from .conftest import Shown, text

FOCUSED = (
    "const at = document.activeElement; return [at.tagName, at.parentElement.open, at.innerText]"
)
LONG = """
const steps = [...document.querySelectorAll(".steps li > details")];
const pre = steps.flatMap((each) => [...each.querySelectorAll("pre")])
  .findLast((each) => each.textContent.startsWith("word"));
for (let up = pre; up; up = up.parentElement.closest("details")) up.open = true;
return [steps.length, pre.getBoundingClientRect().height];
"""


class Elements(HTMLParser):
    """The elements of a page as it is in the file, and the names of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes |= {name for name, _ in attrs}


def test_it_loads_nothing_and_is_small(trace: Trace) -> None:
    page = saved_trace(trace)
    found = Elements(page)
    assert found.names.count("script") == 2  # the data, and the program
    assert not {"img", "link", "iframe", "object", "form", "base"} & set(found.names)
    assert not {"src", "action"} & found.attributes
    assert not {name for name in found.attributes if name.startswith("on")}
    assert "default-src 'none'; style-src 'sha256-" in page
    assert "unsafe" not in page.partition("<style>")[0]
    assert "Apache License" in page  # the licence of the libraries goes with them
    assert len(page.encode()) < 80_000


def test_each_prompt_is_in_it_once() -> None:
    prompt = "Read this. " * 10_000
    made = made_trace([Step(id="a", kind="read")], uses=[Use(use("a").entry, False, "a", "k")])
    page = saved_trace(replace(made, asked_of_model={"k": [("human", prompt)]}))
    assert page.count(prompt) == 1


def test_the_data_cannot_end_its_element(trace: Trace) -> None:
    page = saved_trace(trace)
    [data] = re.findall(r'<script type="application/json" id="trace">(.*?)</script>', page, re.S)
    assert not set("<>&") & set(data)
    passages = {each["id"]: each["text"] for each in json.loads(data)["passages"]}
    assert passages["hostile"] == HOSTILE
    assert "<script>window" not in page


def test_no_text_of_a_document_runs(shown: Shown, trace: Trace) -> None:
    browser = shown(trace)
    browser.find_element("css selector", "a.mark").click()
    assert text(browser, "aside blockquote") == HOSTILE
    assert text(browser, "aside mark") == "gate opened in 1999."
    assert QUESTION in text(browser, "h2")
    assert browser.execute_script("return window.hacked") is None
    assert browser.find_elements("css selector", "img, iframe, b") == []
    assert browser.get_log("browser") == []


def test_a_table_of_a_passage_is_a_table_with_the_quoted_row_marked(shown: Shown) -> None:
    text_ = (
        "Prices.\n\n| Item | Price |\n|---|---|\n| A \\| B | 3 |\n| <b>C</b> | 4 |\n\nWithout tax."
    )
    found = {**cited("| A \\| B | 3 |"), "passage_id": "prices"}
    made = made_trace([], answer="It is 3 [1].", evidence=[passage_evidence("prices", 1)],
                      citations=[found])  # fmt: skip
    browser = shown(with_texts(made, prices=text_, quote="| A \\| B | 3 |"))
    browser.find_element("css selector", "a.mark").click()
    cells = "return [...document.querySelectorAll('aside blockquote %s')].map((c) => c.innerText)"
    assert browser.execute_script(cells % "th") == ["Item", "Price"]
    assert browser.execute_script(cells % "td") == ["A | B", "3", "<b>C</b>", "4"]
    assert browser.execute_script(cells % "td mark") == ["A | B", "3"]
    assert "|---" not in text(browser, "aside blockquote")
    assert text(browser, "aside blockquote").endswith("Without tax.")


def test_no_value_leaves_the_page_empty(shown: Shown) -> None:
    """Half a character, line ends of JavaScript, control characters, a score that is no number."""
    odd = "half \ud83d, \u2028, \x1b[31m, </script> and all"
    step = question("a", "", "?", "leaf", score=float("nan"), reason=odd, facts={odd: odd})
    nameless = Step(id="b", kind="", parent="a")
    browser = shown(made_trace([step, nameless], question=odd, answer=odd))
    read = "half �, \u2028, [31m, </script> and all"
    assert text(browser, "h2") == read
    assert text(browser, ".answer").startswith("half �, ")
    assert f"{read}: {read}" in text(browser, ".steps")
    assert browser.find_elements("css selector", "meter") == []
    assert browser.get_log("browser") == []


def test_four_hundred_steps_open_quickly(shown: Shown) -> None:
    steps = [
        question(f"q{n}", f"q{(n - 1) // 3}" if n else "", f"{n}?", "leaf") for n in range(400)
    ]
    uses = [Use(use(step["id"]).entry, False, step["id"], "k") for step in steps]
    made = replace(made_trace(steps, uses=uses), asked_of_model={"k": [("human", "word " * 2000)]})
    browser = shown(made, "")
    count, height = browser.execute_script(LONG)
    assert (count >= 400, height > 100) == (True, True)  # the last prompt is there to be read
    drawn = browser.execute_script("return performance.now()")
    assert drawn < 20_000  # less than .5 s on a free machine


def test_the_policy_stops_a_script_that_is_put_in(
    browser: Any, trace: Trace, tmp_path: Path
) -> None:
    file = tmp_path / "trace.html"
    page = saved_trace(trace).replace("<noscript>", "<script>window.hacked = 5</script><noscript>")
    file.write_text(page, encoding="utf-8")
    browser.get(file.as_uri())
    assert browser.execute_script("return window.hacked") is None
    assert any("Content Security" in entry["message"] for entry in browser.get_log("browser"))


def test_axe_finds_nothing(shown: Shown) -> None:
    entry = use("root").entry
    told = [Use(entry, False, "root", "k", f"2026-01-01T10:00:0{n}.000Z") for n in range(3)]
    turn = Earlier("Who?", "Ann", "single", "m", "2026-01-02T03:04:05", 2, 1.5, ("Mars",))
    busy = made_trace(TREE, question=QUESTION, uses=told, citations=[cited("a", supported=False)])
    browser = shown(replace(busy, strategy="tree", earlier=(turn,)))
    browser.find_element("css selector", ".cite").click()
    assert faults(browser) == []


def test_the_keyboard_reaches_every_step(shown: Shown, trace: Trace) -> None:
    from selenium.webdriver import ActionChains, Keys

    def press(key: str) -> None:
        ActionChains(browser).send_keys(key).perform()

    browser = shown(trace, "")  # the steps are closed
    seen = []
    for _ in range(99):
        press(Keys.TAB)
        kind, opened, said = browser.execute_script(FOCUSED)
        if kind == "SUMMARY":
            if not opened:
                press(Keys.ENTER)
            seen.append(said)
        elif kind == "BODY":
            break
    for title in (IRON, "Iron right?", "Answer from the findings → 1999", "Gate: off"):
        assert any(line.startswith(title) for line in seen), title
    assert sum(line.startswith("Model call") for line in seen) == 3
    assert "Answer from the ledger, 100 tokens, 0.5 s" in seen
    browser.find_element("css selector", ".cite").send_keys(Keys.ENTER)
    wait_for(lambda: browser.switch_to.active_element.text == "Close")
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    wait_for(lambda: browser.switch_to.active_element.get_attribute("class") == "cite")
    assert browser.find_elements("css selector", "aside") == []


@pytest.mark.parametrize("name", ["hops", "trace"])
def test_nothing_is_wider_than_a_telephone(
    shown: Shown, request: pytest.FixtureRequest, name: str
) -> None:
    browser = shown(request.getfixturevalue(name))
    for width in (360, 390):
        look(browser, "light", width, 800)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    look(browser, *LOOKS[0])


def test_without_a_script_the_answer_is_there(shown: Shown, browser: Any, trace: Trace) -> None:
    file = shown(trace).current_url
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(file)
        said = browser.find_element("css selector", "noscript").text
        assert QUESTION in said
        assert "It was 1999 [1]." in said
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
