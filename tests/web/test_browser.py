"""The page in Chromium: for people with a screen reader, and over documents that mean harm."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from model_server import ModelServer, Reply, scripted_provider

import hopyard
from hopyard.models.chat import register_chat_provider
from hopyard.testing import WordEmbedder

from .conftest import ANSWER, QUESTION, replies
from .page import LOOKS, LiveServer, Page, faults, look, wait_for

pytestmark = pytest.mark.server

WIDE = "\n\n| " + " | ".join(f"Column{n}" for n in range(20)) + " |\n" + "| - " * 20 + "|\n"

SCRIPT = "<script>window.hacked = 1</script>"
IMAGE = "<img src=x onerror='window.hacked = 2'>"
LONG = "Donau" * 60
TURNED = "invoice\u202etxt.exe"
HOSTILE = [
    Document(
        f"The Iron Bridge was opened in 1781. {SCRIPT}{IMAGE} [a](javascript:alert(1)) {LONG}",
        metadata={"source": f"{IMAGE}.md", "title": f"{SCRIPT}{LONG}", "author": IMAGE},
    ),
    Document(
        f"The bridge {TURNED} is made of iron. <svg onload='window.hacked = 3'>",
        metadata={"source": f"{TURNED}.md", "title": TURNED, "<b>key</b>": "javascript:alert(1)"},
    ),
]
HARM = {
    "answer": f"In 1781 [1]. {SCRIPT}{IMAGE}\n\n[a](javascript:window.hacked=4) "
    f"[b](data:text/html,x) <a href='javascript:x'>c</a> {LONG} made of iron [2].",
    "passages": [1, 2],
}


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer(replies({"Answer": ANSWER})) as made:
        register_chat_provider("scripted", scripted_provider(made))
        yield made


@pytest.fixture(scope="module")
def server(model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    del model
    folder = tmp_path_factory.mktemp("hostile")
    hopyard.register_embedding("words", WordEmbedder())
    kinds = ["dense", "sparse", "entity-graph", "communities"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOPYARD_HOME", str(folder / "home"))
        index = folder / "index"
        hopyard.build_index(index, HOSTILE, kinds=kinds, chunk_tokens=0, embedding="words")
        made = LiveServer(index).__enter__()
    yield made
    made.__exit__()


def test_axe_finds_nothing_on_any_view(
    browser: Any, server: LiveServer, model: ModelServer
) -> None:
    model.answer = replies({"Answer": HARM | {"answer": HARM["answer"] + WIDE}})
    page = Page(browser, server)
    views = {}
    page.find("form.ask summary").click()
    wait_for(lambda: page.find("select[name=other] option[value=direct]")).click()
    page.ask(QUESTION)
    for place, told in ((1, ".answer .table"), (2, ".answer, .problem")):
        section = f".view-compare section:nth-of-type({place})"
        wait_for(partial(page.find, f"{section} :is({told})"))
    views["compare"] = faults(browser)
    page.find("main a").click()
    wait_for(lambda: page.find(".view-talk a.mark"))
    thread = browser.current_url.partition("#")[2]
    look(browser, *LOOKS[-1])
    page.find(".answer .table").send_keys("\ue014" * 3)  # the arrow to the right
    wait_for(lambda: page.find(".answer .table").get_property("scrollLeft") > 0)
    look(browser, *LOOKS[0])
    page.find("a.mark").click()
    wait_for(lambda: page.find("aside"))
    views["answer with a citation"] = faults(browser)
    model.answer = replies({"Answer": Reply(401)})
    browser.get(f"{server.address}/#")
    Page(browser, server).ask("Who built the Iron Bridge?")
    page.shows(".problem", "The model")
    views["failure"] = faults(browser)
    browser.get(f"{server.address}/threads/{thread}/1/citations/1")
    views["page of a citation"] = faults(browser)
    browser.get(f"{server.address}/#/documents")
    wait_for(lambda: page.find(".documents summary")).click()
    wait_for(lambda: page.find(".documents .cite"))
    views["documents"] = faults(browser)
    browser.get(f"{server.address}/#/search")
    wait_for(lambda: page.find("#words")).send_keys("Iron Bridge")
    page.find("form.search button").click()
    wait_for(lambda: page.find(".columns .cite"))
    views["search"] = faults(browser)
    assert {view: found for view, found in views.items() if found} == {}


def test_an_entity_shows_what_it_is_joined_to(browser: Any, server: LiveServer) -> None:
    page = Page(browser, server)
    page.complaints()
    wait_for(lambda: page.find("nav a[href='#/entities']")).click()
    wait_for(lambda: page.find(".communities summary")).click()
    page.shows(".communities details[open]", "Iron Bridge")
    page.find("main input[type=search]").send_keys("iron")
    wait_for(lambda: page.text("main ul").count("passage") == 1)
    page.find("main ul a").click()
    page.shows(".entity", "Named beside it\n1781")
    assert faults(browser) == []
    page.find(".entity .cite").click()
    page.shows("aside mark", "The Iron Bridge was opened in 1781.")
    page.find(".entity a").click()
    page.shows(".entity h2", "1781")
    assert page.complaints() == []


def test_an_own_question_measures_strategies(
    browser: Any, server: LiveServer, model: ModelServer, tmp_path: Path
) -> None:
    def answer(_: str, messages: Any) -> Any:
        return ANSWER if "1781" in str(messages) else {"answer": "In 1871."}

    model.answer = answer
    page = Page(browser, server)
    page.complaints()
    page.ask(QUESTION)
    wait_for(lambda: page.find(".keep button")).click()
    wait_for(lambda: page.find(".keep input")).send_keys("1781")
    page.find(".keep button").click()
    page.shows(".keep", "Kept")
    page.find("nav a[href='#/measure']").click()
    page.shows("main", "kept: 1 question")
    own = {"id": "one", "question": SCRIPT, "answers": ["1782"]}
    (tmp_path / "own.jsonl").write_text(json.dumps(own), "utf-8")
    page.find("input[type=file]").send_keys(str(tmp_path / "own.jsonl"))
    page.shows("main", "own: 1 question")
    page.find("input[value=direct]").click()
    page.find("input[name=calls]").send_keys("1")
    page.find("form button[type=submit]").click()
    page.shows("main", "Stopped at the limit of 1 call: ask again to continue.")
    page.find("input[name=calls]").clear()
    page.find("form button[type=submit]").click()
    page.shows("main table", "direct\t1\t0 %")
    page.shows("main table", "single\t1\t100 %")
    page.shows(".turns", "The right answer is 1781.")
    assert page.text(".turns").count("right answer") == 1
    page.find(".turns .steps > summary").click()
    page.shows(".turns .steps", "direct")
    opened = "document.querySelectorAll('main details').forEach((each) => (each.open = true))"
    browser.execute_script(opened)
    page.shows(".turns .steps", "\nOutput\n")
    assert SCRIPT in page.text("main")
    assert faults(browser) == []
    page.find("button[aria-label^=Forget]").click()
    wait_for(lambda: page.find("button[aria-label^=Forget]") is None)
    page.find("main > div > details p button").click()
    page.shows("main", "No question is kept yet.")
    assert page.complaints() == []


def test_hostile_documents_and_answers_are_text(
    browser: Any, server: LiveServer, model: ModelServer
) -> None:
    model.answer = replies({"Answer": HARM})
    page = Page(browser, server)
    page.complaints()
    page.ask("When was the Iron Bridge opened, and of what is it made?")
    wait_for(lambda: page.find("a.mark"))
    assert SCRIPT in page.text(".answer")
    told = ""
    for number in (1, 2):
        browser.execute_script(f"document.querySelectorAll('a.mark')[{number - 1}].click()")
        told += wait_for(lambda: page.text("aside blockquote")) + page.text("aside h2")
        look(browser, *LOOKS[-1])
        wide = "return document.scrollingElement.scrollWidth - innerWidth"
        assert browser.execute_script(wide) <= 0, "wider than a telephone"
        look(browser, *LOOKS[0])
    assert SCRIPT in told
    assert IMAGE in told
    assert "\u202e" not in browser.page_source
    place = browser.current_url.replace("/#", "/threads/") + "/1/citations/1"
    links = browser.execute_script("return [...document.links].map((link) => link.href)")
    assert [link for link in links if not link.startswith(server.address)] == []
    browser.get(place)
    wait_for(lambda: page.text("blockquote"))
    assert browser.execute_script("return window.hacked ?? 0") == 0
    assert page.complaints() == []
