"""The page: self-contained, escaped, and usable in a real browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from hopyard.models.ledger import Entry, Use
from hopyard.state.schemas import Citation, Step, Thrown, passage_evidence
from hopyard.tracing.drawing import Arrow, drawing_of
from hopyard.tracing.model import Earlier, Trace
from hopyard.tracing.plain import as_plain
from hopyard.tracing.trace_page import legend_of, trace_page

from .made import HOPS, HOSTILE, SUMMARY, made_trace, use, with_texts

QUESTION = 'Which <b>gate</b> opened first, "the" Iron Bridge or </script> the gate?'
IRON = "When was the Iron Bridge opened?"
GATE = "When was the gate opened </title><script>window.hacked = 3</script>?"


def question(name: str, parent: str, text: str, verdict: str, **more: Any) -> Step:
    made = Step(id=name, kind="question", parent=parent, title=text, question=text, verdict=verdict)
    return made | more  # type: ignore[no-any-return]


TREE = [
    question(
        "root",
        "",
        QUESTION,
        "split",
        score=0.75,
        facts={"rubric": "5/5", "visits": "1"},
        replaced=[Thrown(question="<b>Old?</b>", answer="no", reason="weak")],
    ),
    question("root.1", "root", IRON, "leaf", answer="1781", passages=[SUMMARY]),
    question("root.1.1", "root.1", "Iron <i>left</i>?", "pruned", answer="?"),
    question("root.1.2", "root.1", "Iron right?", "pruned"),
    question("root.2", "root", GATE, "leaf", passages=[passage_evidence("hostile", 0.9)]),
    Step(id="aggregate", kind="aggregate", title="Answer from the findings", answer="1999"),
]
"""A tree with a pruned half, and hostile questions over a hostile passage."""


@pytest.fixture
def trace() -> Trace:
    call = use("root", prompt="judge-decomposition")
    long = replace(call, entry=replace(call.entry, input_tokens=12_345))
    made = made_trace(
        TREE,
        question=QUESTION,
        answer="1999",
        evidence=[passage_evidence("hostile", 0.9)],
        citations=[Citation(passage_id="hostile", title="", quote="gate opened in 1999.")],
        uses=[long, use("root.1"), use("root.2", cached=True), use("aggregate")],
    )
    return with_texts(made, hostile=HOSTILE, mars="Mars has two moons.", venus="Venus has none.")


@pytest.fixture
def hops() -> Trace:
    made = made_trace(HOPS, evidence=[passage_evidence("danube", 0.7)])
    return with_texts(made, danube="The Danube is long.")


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
    text = trace_page(trace)
    found = Elements(text)
    assert all(address.startswith("#") for address in found.addresses)
    assert (
        found.names.count("script") == 5
    )  # the drawing, the trace, the library, the page's own two
    assert not {"img", "link", "iframe", "object"} & set(found.names)
    assert not {name for name in found.attributes if name.startswith("on")}
    assert "default-src 'none'" in text
    assert "Permission to use, copy, modify" in text  # the library's licence goes with it
    assert len(text.encode()) < 500_000


def test_every_text_is_escaped(trace: Trace) -> None:
    text = trace_page(trace)
    hostile = trace.passages["hostile"]
    assert hostile.text == HOSTILE
    assert "</script><script>window" not in text
    assert "<script>window" not in text
    assert "<img" not in text
    assert "&lt;b&gt;Nobody&lt;/b&gt; &amp; &#34;nothing&#34;" in text
    assert "Which &lt;b&gt;gate&lt;/b&gt; opened" in text


def test_the_page_reloads_itself_only_while_it_is_followed(trace: Trace) -> None:
    assert 'http-equiv="refresh"' not in trace_page(trace)
    assert '<meta http-equiv="refresh" content="1">' in trace_page(trace, reload_seconds=1.0)


def test_a_count_has_no_bar(trace: Trace) -> None:
    text = trace_page(trace)
    assert '<meter min="0" max="5" value="5" aria-hidden="true"></meter> 5/5' in text
    assert '<meter min="0" max="1" value="0.75" aria-hidden="true"></meter> 0.75' in text
    assert "visits</th><td>1</td>" in text


def test_evidence_that_is_no_passage_leads_to_its_passages(trace: Trace) -> None:
    anchors = {name: f"passage-{number}" for number, name in enumerate(trace.passages, 1)}
    links = f'<a href="#{anchors["mars"]}">Mars</a>, <a href="#{anchors["venus"]}">Venus</a>'
    assert f'summary s-12 <span class="score">0.83</span><br>{links}' in trace_page(trace)


def test_passages_read_through_a_summary_say_so() -> None:
    text = trace_page(
        with_texts(made_trace([], evidence=[SUMMARY]), mars="Two moons.", venus="None.")
    )
    assert text.count("read through summary s-12, 0.83") == 2


def test_a_passage_says_where_it_is_from() -> None:
    cited = Citation(
        passage_id="h#1",
        title="Handbook",
        source="hr/<b>handbook.docx",
        section="Contacts",
        pages="3",
        position=0,
        metadata={"author": "Ann <i>", "year": 2024},
        quote="Call Ann.",
    )
    other = Citation(**cited | {"passage_id": "h#2", "position": 1})
    units = [passage_evidence("h#1", 0.9), passage_evidence("h#2", 0.8)]
    text = trace_page(made_trace([], evidence=units, citations=[cited, other]))
    name = "&lt;b&gt;handbook.docx › Contacts, p. 3, passage"
    for number in (1, 2):
        assert f'<span class="title">{name} {number}</span>' in text
        assert f'">{name} {number}</a>' in text
    for term, value in (
        ("Document", "Handbook"),
        ("Source", "hr/&lt;b&gt;handbook.docx"),
        ("Section", "Contacts"),
        ("Page", "3"),
        ("author", "Ann &lt;i&gt;"),
        ("year", "2024"),
    ):
        assert text.count(f"<div><dt>{term}</dt><dd>{value}</dd></div>") == 2


def test_a_passage_that_is_known_by_its_title_says_no_more(trace: Trace) -> None:
    assert '<dl class="source">' not in trace_page(trace)


def test_a_tree_is_drawn_with_what_was_pruned_and_thrown_away(trace: Trace) -> None:
    drawing = drawing_of(trace)
    first = drawing.boxes[0]
    assert (first.parent, first.label, first.state, first.step) == ("", QUESTION, "answer", "root")
    states = {box.label: box.state for box in drawing.boxes[1:]}
    assert states == {
        "<b>Old?</b>": "pruned",
        IRON: "kept",
        "Iron <i>left</i>?": "pruned",
        "Iron right?": "pruned",
        GATE: "kept",
    }
    parents = {box.label: box.parent for box in drawing.boxes}
    assert parents[IRON] == first.id
    assert parents["Iron right?"] == "root.1"


def test_other_steps_that_nest_hang_from_the_question() -> None:
    steps = [
        Step(id="plan", kind="plan", title="Plan"),
        Step(id="work", kind="work", parent="plan", question="How?", answer="so"),
        Step(id="sum", kind="sum up"),
    ]
    drawing = drawing_of(made_trace(steps))
    assert [(box.label, box.parent) for box in drawing.boxes] == [
        ("Which is it?", ""),
        ("Plan", "the question"),
        ("Work: How?", "plan"),
        ("Sum up", "the question"),
    ]
    assert drawing.boxes[0].step == "strategy"


def test_steps_without_parents_are_a_line() -> None:
    steps = [Step(id="search", kind="search", question="Which?"), Step(id="read", kind="read")]
    drawing = drawing_of(made_trace(steps))
    assert [box.label for box in drawing.boxes[1:]] == [
        "Gate: off",
        "Route: made-up",
        "Search: Which?",
        "Read",
    ]
    assert [box.parent for box in drawing.boxes[1:]] == [box.id for box in drawing.boxes[:-1]]


def test_hops_are_drawn_as_passages_with_further_arrows(hops: Trace) -> None:
    drawing = drawing_of(hops)
    boxes = {box.label: box for box in drawing.boxes}
    assert {label: box.parent for label, box in boxes.items()} == {
        "Which is it?": "",
        "Danube": "the question",
        "Severn": "the question",
        "Stone Bridge": boxes["Danube"].id,
    }
    assert drawing.arrows == [Arrow(boxes["Severn"].id, boxes["Danube"].id)]
    assert (boxes["Danube"].state, boxes["Danube"].result) == ("kept", "0.70")
    assert (boxes["Stone Bridge"].state, boxes["Stone Bridge"].note) == ("pruned", "necessary")


HEAD = re.compile(r"<header>.*</header>", re.DOTALL)


def head(trace: Trace) -> str:
    found = HEAD.search(trace_page(trace))
    assert found
    return found[0]


def cited(quote: str, *, supported: bool = True) -> Citation:
    return Citation(
        passage_id="hostile",
        title="<b>Gate</b>",
        quote=quote,
        claim="<i>1999</i>",
        supported=supported,
    )


def test_the_sources_stand_in_the_head_and_the_answers_marks_lead_there() -> None:
    made = made_trace(
        [],
        answer="In 1999 [1], not [2].\nSo <b>it</b> is.",
        citations=[cited("gate <u>opened</u>")],
    )
    text = head(made)
    mark = '<a class="mark" href="#source-1">[1]</a>'
    assert f"In 1999 {mark}, not [2].<br>\nSo &lt;b&gt;it&lt;/b&gt; is." in text
    assert '<li id="source-1"><a href="#passage-1">&lt;b&gt;Gate&lt;/b&gt;</a>' in text
    assert "<q>gate &lt;u&gt;opened&lt;/u&gt;</q>" in text
    assert "for: &lt;i&gt;1999&lt;/i&gt;" in text
    assert 'class="support' not in text


@pytest.mark.parametrize(
    ("made", "how", "said"),
    [
        ({}, "none", "No passage supports this answer, because no passage was read."),
        ({"evidence": [passage_evidence("mars", 0.9)]}, "none", "No passage supports this answer."),
        (
            {"citations": [cited("a", supported=False)]},
            "none",
            "1 of 1 citations: the statement was not found in the passage.",
        ),
        (
            {"citations": [cited("a", supported=False), cited("b"), cited("c", supported=False)]},
            "part",
            "2 of 3 citations: the statement was not found in the passage.",
        ),
    ],
)
def test_an_answer_that_nothing_supports_is_marked(
    made: dict[str, Any], how: str, said: str
) -> None:
    text = head(made_trace([], **made))
    assert f'<p class="support {how}" role="note">' in text
    assert said in text
    assert text.count("✗ not found in its passage") == str(made).count("False")


def test_a_long_answer_is_read_as_markdown_in_letters_of_usual_size() -> None:
    text = trace_page(
        made_trace([Step(id="x", kind="x", answer="- **one**\n- two")], answer="## A\nb")
    )
    assert '<span class="kind">Answer</span><div class="prose"><h4>A</h4>' in text
    assert '<div class="prose"><ul>\n<li><strong>one</strong></li>' in text
    assert '<span class="result">one two</span>' in text
    assert '<div class="short"><p>that</p></div>' in trace_page(made_trace([]))


def test_many_sources_are_folded() -> None:
    few = head(made_trace([], citations=[cited("a")] * 12))
    assert ("<h2>Sources</h2>" in few, "many" in few) == (True, False)
    many = head(made_trace([], citations=[cited("a")] * 13))
    assert '<details class="many"><summary>13 sources</summary><ol class="sources">' in many


def test_scores_say_who_judged() -> None:
    judged = question("root", "", QUESTION, "split", score=1.0, facts={"rubric": "5/5"})
    text = trace_page(made_trace([judged | {"judge": "a<b>:c"}, Step(id="x", kind="x", score=0.5)]))
    assert '<li class="judge">scores: judged by a&lt;b&gt;:c</li>' in text
    assert text.count("<caption>Judged by a&lt;b&gt;:c</caption>") == 1
    assert text.count("<caption>Measured</caption>") == 1
    assert "scores: judged by" not in trace_page(made_trace([judged]))


def test_an_unfinished_thread_is_not_marked_and_says_where_it_runs() -> None:
    made = made_trace([], waits=("tree",))
    assert 'class="support' not in trace_page(made)
    assert ">not finished</p>" in trace_page(made)
    running = replace(made, running="in process 12 on <host> since noon")
    assert ">running in process 12 on &lt;host&gt; since noon</p>" in trace_page(running)


def test_the_words_of_the_trace_are_explained_and_no_others(trace: Trace) -> None:
    tree = replace(trace, strategy="tree")
    assert "What the words mean" in head(tree)
    assert {"leaf", "split", "rubric", "pruned"} <= set(legend_of(tree))
    assert not {"θ", "necessary", "budget", "open"} & set(legend_of(tree))
    step = Step(id="a", kind="question", reason="at or above θ=0.4", verdict="open")
    words = legend_of(replace(made_trace([step]), strategy="tree"))
    assert {"θ", "open"} <= set(words)
    assert "leaf" not in words


def test_models_prompts_and_raw_outputs_are_shown() -> None:
    asked = Entry("answer", 3, "openai/big", 0, '{"answer": "<b>1999</b>"}', "parsed", 9, 2, 1.0)
    other = Entry("split", 1, "openai/small", 0, "{}", "parsed", 9, 2, 1.0)
    made = made_trace(
        [Step(id="a", kind="read")], uses=[Use(asked, False, "a", "k"), Use(other, False, "a", "l")]
    )
    text = trace_page(replace(made, asked_of_model={"k": [("human", "Which <gate>?")]}))
    assert "<dt>Models</dt><dd>openai/big, openai/small</dd>" in text
    one = replace(made_trace([], uses=[Use(asked, False, "a", "k")]), model="openai:<big>")
    assert "<dt>Model</dt><dd>openai:&lt;big&gt;</dd>" in head(one)
    assert "answer: prompt and output" in text
    assert "openai/big, prompt version 3" in text
    assert "<h5>human</h5><pre>Which &lt;gate&gt;?</pre>" in text
    assert "<pre>{&#34;answer&#34;: &#34;&lt;b&gt;1999&lt;/b&gt;&#34;}</pre>" in text
    assert text.count("What was asked is not in the ledger.") == 1


def test_the_time_line_leads_to_the_steps(trace: Trace) -> None:
    assert 'id="time-title"' not in trace_page(trace)  # when its calls were made is not known
    timed = [
        replace(use("a"), at="2026-01-01T10:00:00.500Z"),
        replace(use("b"), at="2026-01-01T10:00:02.000Z"),
    ]
    text = trace_page(
        made_trace([Step(id="a", kind="<read>"), Step(id="b", kind="sum")], uses=timed)
    )
    assert 'href="#step-a" title="&lt;read&gt;"' in text
    assert '<rect x="0.0" y="0" width="250.0" height="10">' in text
    assert '<rect x="750.0" y="0" width="250.0" height="10">' in text


def test_earlier_questions_are_listed() -> None:
    turn = Earlier(
        "Who <u>was</u> it?", "Ann", "single", "small", "2026-01-02T03:04:05", 2, 1.5, ("Mars",)
    )
    text = head(replace(made_trace([]), earlier=(turn,)))
    assert "1 earlier question of this thread" in text
    assert "<b>Who &lt;u&gt;was&lt;/u&gt; it?</b><br>Ann" in text
    assert "2026-01-02 03:04 UTC · single · small · 2 calls, 1.5 s · from Mars" in text


# In a browser


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
