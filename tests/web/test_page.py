"""The page in a real browser, over a server in this process, and over one that is killed."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from commands import Zygote
from model_server import ModelServer

import hopyard
from hopyard.testing import DOCUMENTS

from .conftest import ANSWER, QUESTION, Held
from .page import PLAIN, LiveServer, Page, wait_for

pytestmark = pytest.mark.server


class Server:
    """`hopyard serve` as a process."""

    def __init__(self, zygote: Zygote, index: Path, environment: dict[str, str]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        arguments = ("serve", "--index", index, "--port", str(self.port), "--strategy", "single")
        models = ("--model", "openai:scripted", "--embedding", "ollama:words")
        self._begin = partial(zygote.start, *arguments, *models, environment=environment)

    def start(self) -> None:
        self._process = self._begin()
        wait_for(self._answers)

    def kill(self) -> None:
        self._process.kill()

    def _answers(self) -> bool:
        with socket.socket() as asked:
            return asked.connect_ex(("127.0.0.1", self.port)) == 0


@pytest.fixture
def killed(
    chat: ModelServer, zygote: Zygote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Server]:
    """A server that a test kills and starts again."""
    chat.models = ("words:latest",)
    environment = chat.environment() | {"HOPYARD_PROFILE": "capable"}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    index = tmp_path / "index"
    hopyard.build_index(index, DOCUMENTS, chunk_tokens=0, embedding="ollama:words")
    made = Server(zygote, index, environment)
    try:
        made.start()
        yield made
    finally:
        made.kill()


@pytest.fixture
def server(index: Path, chat: ModelServer) -> Iterator[LiveServer]:
    del chat
    with LiveServer(index) as made:
        yield made


def seconds(page: Page) -> int:
    """The seconds beside "Working…"."""
    return int(re.findall(r"Working… (\d+) s", page.text("main"))[0])


def test_an_answer_opens_at_its_marked_quote(browser: Any, server: LiveServer) -> None:
    page = Page(browser, server)
    page.complaints()
    page.ask(QUESTION)
    page.shows("main", "It was opened in 1781 [1].")
    wait_for(lambda: page.find("a.mark")).click()
    page.shows("aside mark", "The Iron Bridge was opened in 1781.")
    assert browser.execute_script("return document.activeElement.textContent") == "Close"
    page.find("aside button").send_keys("\ue00c")  # Escape
    wait_for(lambda: page.find("aside") is None)
    page.shows("nav", QUESTION)
    assert page.complaints() == []


def test_a_reload_and_a_killed_server_lose_nothing(
    browser: Any, killed: Server, chat: ModelServer, held: Held
) -> None:
    page = Page(browser, killed)
    wait_for(lambda: browser.switch_to.active_element.get_attribute("id") == "question")
    browser.switch_to.active_element.send_keys(QUESTION, "\ue007")  # Enter
    page.shows("main", "Working…")
    chat.wait_for_call()
    wait_for(lambda: seconds(page) >= 2)
    browser.refresh()
    page.shows("main h2", QUESTION)
    assert seconds(page) >= 2  # those of the run, not those since the reload
    assert browser.switch_to.active_element.tag_name == "body"  # the reader is at the answer
    killed.kill()
    killed.start()  # the page finds it again by itself
    held.go.set()
    page.shows("main .answer", "It was opened in 1781 [1].")
    page.shows("main", "1 call")
    browser.refresh()
    page.shows("main .answer", "It was opened in 1781 [1].")
    assert len(browser.find_elements("css selector", ".turns > li")) == 1


def test_an_answer_that_nobody_watched_is_there(
    browser: Any, server: LiveServer, chat: ModelServer
) -> None:
    asked = httpx.post(f"{server.address}/api/threads", json={"question": QUESTION}, **PLAIN)
    thread = asked.json()["thread"]
    done = f"{server.address}/api/threads/{thread}"
    wait_for(lambda: not httpx.get(done, **PLAIN).json()["running"])
    browser.get(f"{server.address}/#{thread}")
    page = Page(browser, server)
    browser.get(f"{server.address}/#{thread}")
    page.shows("main .answer", "It was opened in 1781 [1].")
    assert len(chat.calls) == 1


def test_two_strategies_answer_beside_each_other(
    browser: Any, server: LiveServer, chat: ModelServer
) -> None:
    chat.answer = lambda _, said: ANSWER if "1781" in str(said) else {"answer": "In 1871."}
    page = Page(browser, server)
    page.complaints()
    page.find("form.ask summary").click()
    wait_for(lambda: page.find("select[name=other] option[value=direct]")).click()
    page.ask(QUESTION)
    sections = "main.view-compare section"
    page.shows(f"{sections}:nth-of-type(1) .turns > li", "single · 1 call")
    page.shows(f"{sections}:nth-of-type(2) .turns > li", "direct · 1 call")
    page.shows(f"{sections}:nth-of-type(2) .answer", "In 1871.")
    page.find(f"{sections} a").click()
    wait_for(lambda: page.find("main.view-talk form.ask"))
    page.shows("main .answer", "It was opened in 1781 [1].")
    assert page.complaints() == []


def test_threads_are_found_renamed_saved_and_deleted(
    browser: Any, server: LiveServer, held: Held, tmp_path: Path
) -> None:
    saved = tmp_path / "saved"

    def listed() -> list[str]:
        script = "return [...document.querySelectorAll('nav details li a')].map((a) => a.innerText)"
        return list(browser.execute_script(script))

    for river in ("Aar", "Elbe", "Isar", "Main", "Oder", "Saale"):
        asked = {"question": f"{QUESTION} And the {river}?"}
        httpx.post(f"{server.address}/api/threads", json=asked, **PLAIN)
    page = Page(browser, server)
    page.complaints()
    wait_for(lambda: page.text("nav").count("running") == 6)
    held.go.set()
    wait_for(lambda: "running" not in page.text("nav"))  # nobody has touched the page
    page.find("nav input").send_keys("OPENED oder")
    wait_for(lambda: listed() == [f"{QUESTION} And the Oder?"])
    page.find("nav details li a").click()
    page.shows("main h2", "And the Oder?")
    page.ask("And who built it?")
    wait_for(lambda: len(browser.find_elements("css selector", ".turns .mark")) == 2)
    assert listed() == [f"{QUESTION} And the Oder?"]

    browser.execute_cdp_cmd(
        "Page.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(saved)}
    )
    rename, delete = browser.find_elements("css selector", "main > .tools button")
    for link in browser.find_elements("css selector", "main > .tools a"):
        link.click()
    wait_for(lambda: {*saved.glob("*")} == {saved / "thread.md", saved / "thread.json"})
    turns = json.loads((saved / "thread.json").read_text("utf-8"))["turns"]
    assert [turn["asked"] for turn in turns] == [f"{QUESTION} And the Oder?", "And who built it?"]
    assert "And who built it?" in (saved / "thread.md").read_text("utf-8")

    rename.click()
    browser.switch_to.alert.send_keys("Iron <b>& coal</b>")
    browser.switch_to.alert.accept()
    wait_for(lambda: listed() == ["Iron <b>& coal</b>"])  # its first question is found still
    page.find("nav input").send_keys("\ue003" * 20)  # Backspace
    wait_for(lambda: len(listed()) == 6)
    delete.click()
    browser.switch_to.alert.dismiss()
    delete.click()
    browser.switch_to.alert.accept()
    wait_for(lambda: len(listed()) == 5)
    assert "Iron" not in " ".join(listed()).replace("Iron Bridge", "")
    assert page.find("main h2") is None
    assert page.complaints() == []
