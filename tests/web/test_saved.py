"""A saved trace is one file: it asks nobody, runs nothing of others, and everybody can read it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from hopyard.models.ledger import Entry, Use
from hopyard.state.schemas import Citation, Step, passage_evidence
from hopyard.tracing.legend import legend_of
from hopyard.tracing.model import Earlier, Trace
from hopyard.web.saved import saved_trace

from ..tracing.made import (
    HOPS,
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
from .page import LOOKS, faults, look, wait_for

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
OPEN_ALL = "for (const each of document.querySelectorAll('details')) each.open = true"
Shown = Callable[..., Any]


@pytest.fixture
def trace() -> Trace:
    """A tree with pruned branches over a hostile passage."""
    long = use("root", prompt="judge-decomposition")
    made = made_trace(
        TREE,
        question=QUESTION,
        answer="It was 1999 [1].",
        evidence=[passage_evidence("hostile", 0.9)],
        citations=[Citation(passage_id="hostile", title="", quote="gate opened in 1999.")],
        uses=[long, use("root.1"), use("root.2", cached=True), use("aggregate")],
    )
    return with_texts(made, hostile=HOSTILE, mars="Mars has two moons.", venus="Venus has none.")


@pytest.fixture
def hops() -> Trace:
    made = made_trace(HOPS, evidence=[passage_evidence("danube", 0.7)])
    return with_texts(made, danube="The Danube is long.")


@pytest.fixture
def shown(browser: Any, tmp_path: Path) -> Shown:
    """Opens a saved trace in Chromium, with all its parts open."""

    def open_trace(trace: Trace, script: str = OPEN_ALL) -> Any:
        file = tmp_path / "trace.html"
        file.write_text(saved_trace(trace), encoding="utf-8")
        browser.get(file.as_uri())
        wait_for(lambda: browser.find_elements("css selector", "main"))
        browser.execute_script(script)
        return browser

    return open_trace


def text(browser: Any, selector: str = "body") -> str:
    return str(
        browser.execute_script("return document.querySelector(arguments[0]).innerText", selector)
    )


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


def test_branches_hops_and_scores_are_told_apart(shown: Shown, trace: Trace, hops: Trace) -> None:
    browser = shown(trace)
    kept, pruned = (
        [
            each.text
            for each in browser.find_elements("css selector", f".{look} > details > summary")
        ]
        for look in ("kept", "pruned")
    )
    assert kept[0] == f"{IRON} → 1781 leaf · 1 call, 100 tokens, 0.5 s"
    assert pruned == ["Iron <i>left</i>? → ? pruned", "Iron right? pruned"]
    assert "<b>Old?</b> → no thrown away: weak" in text(browser, ".steps")
    assert browser.find_element("css selector", "meter").get_property("value") == 0.75
    assert "rubric: 5/5" in text(browser, ".steps")
    assert "Mars 0.83 through summary s-12" in text(browser, ".steps").replace("\n", " ")
    assert "Danube → Stone Bridge · What crosses it? necessary" in text(shown(hops), ".steps")


def test_scores_say_who_judged_and_passages_why(shown: Shown) -> None:
    judged = question("root", "", QUESTION, "split", score=1.0, facts={"rubric": "5/5"})
    unit = {**passage_evidence("mars", 0.5), "why": "Nile, <b>Egypt</b>"}
    browser = shown(made_trace([judged | {"judge": "a<b>:c", "passages": [unit]}]))
    assert "judged by a<b>:c" in text(browser, ".steps")
    assert "0.50 Nile, <b>Egypt</b>" in text(browser, ".steps")


def test_a_step_shows_what_its_answer_says_before_the_table(shown: Shown) -> None:
    answer = "2 moons | in all.\n\n| Moon |\n| --- |\n| Io |\n\nRead 3 of 3 documents."
    facts = {"rows": "2", "read": "3 of 3"}
    table = Step(id="a", kind="table", title="Merge 2 rows", answer=answer, facts=facts)
    query = Step(id="b", kind="query", answer="1 row\n\n```sql\nSELECT 1\n```")
    steps = text(shown(made_trace([table, query])), ".steps")
    assert "Merge 2 rows → 2 moons | in all.\n" in steps
    assert "Query → 1 row\n" in steps
    assert "rows: 2 · read: 3 of 3" in steps
    assert "---" not in steps and "SELECT" not in steps


def test_models_prompts_and_raw_outputs_are_shown(shown: Shown) -> None:
    asked = Entry("answer", 3, "openai/big", 1, '{"answer": "<b>1999</b>"}', "parsed", 9, 2, 1.0)
    uses = [Use(asked, False, "a", "k"), Use(replace(asked, attempt=0), False, "a", "l")]
    made = made_trace([Step(id="a", kind="read")], uses=uses)
    browser = shown(replace(made, asked_of_model={"k": [("human", "Which <gate>?")]}))
    steps = text(browser, ".steps")
    assert "answer/3 by openai/big: parsed, try 2" in steps
    assert "human\nWhich <gate>?" in steps
    assert 'Output\n{"answer": "<b>1999</b>"}' in steps
    assert steps.count("The prompt is not kept.") == 1


def test_the_time_line_cuts_out_a_long_pause(shown: Shown) -> None:
    """Worked by hand: calls of 4, 3 and 1 seconds, the second begins after 2, then a day passes."""
    ends = [("04.000", 4.0), ("05.000", 3.0)]
    times = [(f"2026-01-01T10:00:{end}Z", seconds) for end, seconds in ends]
    times.append(("2026-01-02T10:00:06.000Z", 1.0))
    uses = [replace(use("a"), at=at, entry=replace(use("a").entry, seconds=s)) for at, s in times]
    uses.append(replace(use("a", cached=True), at="2025-01-01T10:00:00.000Z"))
    browser = shown(made_trace([Step(id="a", kind="read")], uses=uses))
    assert text(browser, ".time summary") == "Model calls over 6.0 s"
    lines = [each.text for each in browser.find_elements("css selector", ".time li")]
    assert lines == [
        "Read answer, from 0.0 to 4.0 s",
        "Read answer, from 2.0 to 5.0 s",
        "Read answer, from 5.0 to 6.0 s",
    ]
    bars = browser.find_elements("css selector", ".time rect")
    assert float(bars[1].get_attribute("x")) == pytest.approx(100 / 3)
    assert float(bars[1].get_attribute("width")) == pytest.approx(50)


def test_the_words_of_the_trace_are_explained_and_no_others(shown: Shown, trace: Trace) -> None:
    tree = replace(trace, strategy="tree")
    assert {"leaf", "split", "rubric", "pruned"} <= set(legend_of(tree))
    assert not {"θ", "necessary", "budget", "open"} & set(legend_of(tree))
    step = Step(id="a", kind="question", reason="at or above θ=0.4", verdict="open")
    words = legend_of(replace(made_trace([step]), strategy="tree"))
    assert {"θ", "open"} <= set(words)
    assert "leaf" not in words
    assert "judged unhelpful and removed" in text(shown(tree), ".steps dl")


@pytest.mark.parametrize(
    ("made", "said"),
    [
        ({}, "No passage supports this answer, because no passage was read."),
        ({"evidence": [passage_evidence("mars", 0.9)]}, "No passage supports this answer."),
        (
            {"citations": [cited("a", supported=False), cited("b")]},
            "1 of 2 citations: the statement was not found in the passage.",
        ),
        ({"citations": [cited("a")]}, ""),
        ({"waits": ("tree",)}, ""),
    ],
)
def test_an_answer_that_nothing_supports_is_marked(made: dict[str, Any], said: str) -> None:
    assert made_trace([], **made).support == said


def test_a_citation_that_its_passage_does_not_confirm_looks_different(shown: Shown) -> None:
    browser = shown(made_trace([], answer="So [1].", citations=[cited("a <u>", supported=False)]))
    assert "1 of 1 citations: the statement was not found" in text(browser, "main")
    button = browser.find_element("css selector", ".cite.doubt")
    assert "not found in its passage" in button.text
    button.click()
    assert "The passage does not confirm: <i>1999</i>" in text(browser, "aside")
    assert "The passage has left the index. It said:\n\na <u>" in text(browser, "aside")


def test_an_unfinished_thread_says_what_comes_and_where_it_runs(shown: Shown) -> None:
    made = replace(made_trace([], waits=("tree",)), running="in process 12 on <host>")
    said = text(shown(made), "main")
    assert (
        "This question is not finished. It is running in process 12 on <host>. Next: tree." in said
    )


def test_earlier_questions_are_listed(shown: Shown) -> None:
    turn = Earlier(
        "Who <u>was</u> it?", "Ann", "single", "m", "2026-01-02T03:04", 2, 1.5, ("Mars",)
    )
    said = text(shown(replace(made_trace([]), earlier=(turn,))), "main")
    assert "1 earlier question of this thread" in said
    assert "Who <u>was</u> it?\nAnn" in said
    assert "single · m · 2 calls, 1.5 s · from Mars" in said


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
