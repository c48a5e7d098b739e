"""The picture of a strategy grows in Chromium while it runs, and every step opens."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import pytest
from model_server import ModelServer, WordEmbedder, scripted_provider

from hopyard.models.chat import register_chat_provider
from hopyard.models.embeddings import register_embedder

from ..graphs.conftest import CORPUS
from ..graphs.hop.conftest import BRIDGES
from ..graphs.hop.drawn import build_drawn
from ..graphs.script import rubric, said, scores, split
from .page import LOOKS, PLAIN, LiveServer, Page, faults, look, wait_for

pytestmark = pytest.mark.server

IRON: Final = "When was the Iron Bridge opened?"
BOTH: Final = "Who built the Iron Bridge, and when was it opened?"
CROSSED: Final = "How long is the river that the Iron Bridge crosses?"
COKE: Final = "When was coke first used where the ribs of the Iron Bridge were cast?"
THEMES: Final = "What do the documents tell about bridges?"
LISTED: Final = "Which bridges do the documents name?"
LIST: Final = "| Bridge | Opened |\n|---|---|\n| Iron Bridge | 1781 |\n| Stone Bridge | 1146 |"
CHECKED: Final = ("global", "tree")
"""Strategies whose pictures have between them every part that a picture can have."""
INSIDE: Final = """
return [...document.querySelectorAll(".steps .inside:has(> details)")].map((step) =>
  [step.innerText, step.querySelectorAll(".citations li").length]);
"""
"""The text of each step that asked a model, and the number of its passages."""
ARROW_DOWN, ENTER = "\ue015", "\ue007"
OPEN_ALL: Final = "for (const each of document.querySelectorAll('.steps details')) each.open = true"


class Picture(NamedTuple):
    """A question, what the model says, and what the picture shows."""

    question: str
    says: list[tuple[str, str, Any]]
    """Replies by the name of the output and a text of the request; the first that fits counts."""
    last: str
    """The name of the output before which the model waits."""
    growing: tuple[str, ...]
    """Texts of the picture while the model waits."""
    whole: str
    """A text of the picture at the end."""


_LENGTH: Final = "How long is the Severn?"
PICTURES: Final = {
    "chain": Picture(
        CROSSED,
        [
            (
                "ChainStep",
                f"Searches made:\n- {CROSSED}\n- ",
                {"kind": "answer", "answer": "354 km"},
            ),
            (
                "ChainStep",
                "",
                {
                    "findings": [{"fact": "It crosses the Severn.", "passage": 1}],
                    "kind": "search",
                    "searches": [_LENGTH],
                },
            ),
        ],
        "ChainStep",
        (f"{CROSSED} → It crosses the Severn. · 1 call, ",),
        "Answer → 354 km",
    ),
    "hop": Picture(
        COKE,
        [
            ("HopChoice", "to Coalbrookdale: ", {"useful": [1], "enough": False, "necessary": [2]}),
            ("HopChoice", "", {"useful": [], "enough": True}),
            ("Answer", "", {"answer": "In 1709.", "passages": []}),
        ],
        "Answer",
        ("Round 1 of hops", "Abraham Darby → Coalbrookdale"),
        "Answer → In 1709.",
    ),
    "global": Picture(
        THEMES,
        [
            (
                "Points",
                "",
                {
                    "points": [
                        {"point": "One is of 1781.", "findings": [1], "score": 90},
                        {"point": "It is old.", "findings": [2], "score": 0},
                    ]
                },
            ),
            ("Reduced", "", {"answer": "One is of 1781."}),
        ],
        "Reduced",
        ("Select the communities at level 0", "Map 1 of 2: read", "Map 2 of 2: read", "0.90"),
        "Answer from the points → One is of 1781.",
    ),
    "every": Picture(
        LISTED,
        [
            (
                "Opened",
                "",
                {
                    "kind": "list",
                    "item": "A bridge.",
                    "columns": ["Bridge"],
                    "sentence": "There is # bridge:",
                    "rows": [{"cells": ["Iron Bridge"], "passages": [1]}],
                    "complete": True,
                },
            ),
        ],
        "Opened",
        ("Choose 9 documents: 1 call",),
        "Merge 1 row → There is 1 bridge:",
    ),
    "tree": Picture(
        BOTH,
        [
            ("Decomposition", BOTH, split(IRON, "Who built it?")),
            ("Decomposition", "", {"kind": "simple"}),
            ("Rubric", "", rubric(5)),
            ("BranchScores", "", scores(6, weaker="second")),
            ("Replacement", "", {"question": "Who paid for it?"}),
            ("Answer", BOTH, said("by itself")),
            ("Answer", "Who built it?", said("Darby")),
            ("Answer", "Who paid for it?", said("Nobody")),
            ("Answer", "", said("1781")),
        ],
        "Replacement",
        ("Who built it? → Darby", "open · 3 calls"),
        f"{BOTH} → by itself",
    ),
}


DRAWN: Final = {"chain": 3, "hop": 4, "global": 5, "tree": 5}
"""Edges of the drawing: worked by hand, as of the chain one to each of its three steps."""


def edges(page: Page) -> int:
    return str(page.find(".drawn path").get_attribute("d")).count("M")


def check_drawing(page: Page, browser: Any, strategy: str) -> None:
    """Move in the drawing and open its last step by keyboard, and see it on a telephone."""
    assert PICTURES[strategy].whole.rpartition(" → ")[2] in page.text(".drawn .final")
    if strategy in DRAWN:
        assert edges(page) == DRAWN[strategy]
    boxes = browser.find_elements("css selector", ".drawn button")
    boxes[0].send_keys(ARROW_DOWN)
    assert browser.switch_to.active_element == boxes[1]
    boxes[-1].send_keys(ENTER)
    page.shows(".opened h3", boxes[-1].text.split("\n")[0])
    assert page.find(".opened .inside")
    look(browser, *LOOKS[-1])  # a telephone
    wider = "const {scrollWidth, clientWidth} = document.querySelector('.drawn');"
    assert browser.execute_script(f"{wider} return scrollWidth - clientWidth") <= 1
    look(browser, *LOOKS[0])


def check_tree(page: Page, browser: Any) -> None:
    """The pruned branches are crossed out in list and drawing, and the score is a bar."""
    page.shows(".steps .kept > ul", "Who built it? → Darby thrown away")
    pruned = browser.find_elements("css selector", ".kept > ol > .pruned > details > summary")
    assert [line.text.split(" pruned")[0] for line in pruned] == [
        f"{IRON} → 1781",
        "Who paid for it? → Nobody",
    ]
    assert page.find(".kept meter").get_property("value") == 0.3
    crossed = browser.find_elements("css selector", ".drawn .pruned .name")
    assert [each.text for each in crossed] == [IRON, "Who paid for it?", "Who built it?"]
    assert "30%" in page.find(".drawn .bar > i").get_attribute("style")


@pytest.fixture(scope="module")
def model() -> Iterator[ModelServer]:
    with ModelServer(lambda *_: {}) as made:
        register_chat_provider("scripted", scripted_provider(made))
        yield made


@pytest.fixture(scope="module")
def server(model: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    del model
    folder, words = tmp_path_factory.mktemp("steps"), WordEmbedder()
    register_embedder("words", words)
    kinds = ("dense", "sparse", "entity-graph", "communities", "passage-graph")
    index = build_drawn(folder / "index", CORPUS | {"list": LIST}, BRIDGES, words, kinds=kinds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOPYARD_HOME", str(folder / "home"))
        made = LiveServer(index).__enter__()
    yield made
    made.__exit__()


@pytest.mark.parametrize("strategy", PICTURES)
def test_a_picture_grows_and_every_step_opens(
    browser: Any, server: LiveServer, model: ModelServer, tmp_path: Path, strategy: str
) -> None:
    picture, go = PICTURES[strategy], threading.Event()

    def answer(title: str, messages: list[dict[str, Any]]) -> Any:
        turn = str(messages[-1]["content"])
        fits = (each for name, text, each in picture.says if name == title and text in turn)
        reply = next(fits, {})
        assert title != picture.last or reply.get("kind") == "search" or go.wait(300)
        return reply

    model.answer = answer
    page = Page(browser, server)
    page.complaints()
    page.find("form.ask summary").click()
    wait_for(lambda: page.find(f"select[name=strategy] option[value={strategy}]")).click()
    page.ask(picture.question)
    for text in picture.growing:
        page.shows(".steps", text)
    assert "Working…" in page.text("main")
    for text in picture.growing[:1]:  # the drawing grows too, and marks what is under way
        page.shows(".drawn", text.split(" → ")[0].split(":")[0])
        assert page.find(".drawn .box.open")
    go.set()
    page.shows("main", f"{strategy} · ")
    page.find(".steps > summary").click()
    for text in (*picture.growing[:1], picture.whole):
        page.shows(".steps", text)
    wait_for(lambda: browser.execute_script(OPEN_ALL) or "\nOutput\n" in page.text(".steps"))
    assert "Loading…" not in page.text(".steps")
    assert "No passage. No model call." in page.text(".steps li")  # of the gate
    for step, named in wait_for(lambda: browser.execute_script(INSIDE)):
        assert named or "No passage." in step, step
        if strategy in {"hop", "every"}:  # their steps do not say what they read
            assert named, step
            assert "in its prompt" in page.text(".steps")
    if strategy == "chain":  # what was found in which passage
        lists = browser.find_elements("css selector", ".steps .citations")
        assert any("It crosses the Severn." in each.text for each in lists)
    check_drawing(page, browser, strategy)
    assert strategy not in CHECKED or faults(browser) == []
    for closed in (".drawn [aria-expanded=true]", ".steps .cite"):
        browser.execute_script("arguments[0].click()", page.find(closed))
    page.shows("aside blockquote", "e")
    steps, cited = page.text(".steps"), page.text("aside blockquote")
    if strategy == "tree":
        check_tree(page, browser)
    assert page.complaints() == []

    # The saved trace shows the same, without the server.
    file = tmp_path / "trace.html"
    address = page.find(".steps a[download]").get_property("href")
    file.write_bytes(httpx.get(address, **PLAIN).content)
    browser.get(file.as_uri())
    wait_for(lambda: page.find(".steps"))
    browser.execute_script(OPEN_ALL)
    assert page.text(".steps") == steps.replace("Save as one page", "").rstrip()
    assert picture.question in page.text("h2")
    page.find(".steps .cite").click()
    page.shows("aside blockquote", cited)
    assert page.complaints() == []
