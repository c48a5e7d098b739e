"""The page in a real browser, over a server of its own process that is killed and comes back."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from model_server import ModelServer

import hopyard
from hopyard.testing import DOCUMENTS

from .conftest import ANSWER, QUESTION, replies

pytestmark = pytest.mark.server


class Server:
    """`hopyard serve` as a process."""

    def __init__(self, index: Path, model: ModelServer, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self._index, self._folder = index, folder
        self._environment = os.environ | model.environment() | {"HOPYARD_HOME": str(folder)}
        self._environment["HOPYARD_PROFILE"] = "capable"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "hopyard.cli.main", "serve", "--index", str(self._index)]
        command += ["--port", str(self.port), "--model", "openai:scripted"]
        command += ["--embedding", "ollama:words", "--strategy", "single"]
        with (self._folder / "log.txt").open("ab") as log:
            self._process = subprocess.Popen(command, env=self._environment, stderr=log)
        wait_for(self._answers, 60)

    def kill(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def _answers(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, (self._folder / "log.txt").read_text()
        try:
            return httpx.get(f"{self.address}/api/status", trust_env=False, timeout=60).is_success
        except httpx.TransportError:
            return False


def wait_for(reached: Callable[[], Any], seconds: float = 90) -> Any:
    until = time.monotonic() + seconds
    while not (found := reached()):
        assert time.monotonic() < until
        time.sleep(0.05)
    return found


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer(replies({"Answer": ANSWER}), models=("words:latest",)) as made:
        yield made


@pytest.fixture
def server(model: ModelServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name, value in model.environment().items():
        monkeypatch.setenv(name, value)
    index, home = tmp_path / "index", tmp_path / "home"
    home.mkdir()
    hopyard.build_index(index, DOCUMENTS, chunk_tokens=0, embedding="ollama:words")
    made = Server(index, model, home)
    made.start()
    yield made
    made.kill()


class Page:
    """The page as a person uses it."""

    def __init__(self, browser: Any, server: Server) -> None:
        self.browser = browser
        browser.get(server.address)
        wait_for(lambda: self.find("textarea"))

    def find(self, selector: str) -> Any:
        found = self.browser.find_elements("css selector", selector)
        return found[0] if found else None

    def text(self, selector: str) -> str:
        """The text of an element; "" while the page draws it again."""
        script = "return document.querySelector(arguments[0])?.innerText ?? ''"
        return str(self.browser.execute_script(script, selector))

    def ask(self, question: str) -> None:
        self.find("textarea").send_keys(question)
        self.find("form button[type=submit]").click()

    def shows(self, selector: str, text: str) -> None:
        wait_for(lambda: text in self.text(selector))

    def complaints(self) -> list[str]:
        """Complaints of the browser itself, such as a broken policy."""
        log = self.browser.get_log("browser")
        return [line["message"] for line in log if line["level"] == "SEVERE"]


def seconds(page: Page) -> int:
    """The seconds beside "Working…"."""
    return int(re.findall(r"Working… (\d+) s", page.text("main"))[0])


def test_an_answer_opens_at_its_marked_quote(browser: Any, server: Server) -> None:
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
    browser: Any, server: Server, model: ModelServer
) -> None:
    go = threading.Event()

    def slow(title: str, _: Any) -> Any:
        assert go.wait(300), title
        return ANSWER

    model.answer = slow
    page = Page(browser, server)
    wait_for(lambda: browser.switch_to.active_element.get_attribute("id") == "question")
    browser.switch_to.active_element.send_keys(QUESTION, "\ue007")  # Enter
    page.shows("main", "Working…")
    model.wait_for_call()
    wait_for(lambda: seconds(page) >= 2)
    browser.refresh()
    page.shows("main h2", QUESTION)
    assert seconds(page) >= 2  # those of the run, not those since the reload
    assert browser.switch_to.active_element.tag_name == "body"  # the reader is at the answer
    server.kill()
    server.start()  # the page finds it again by itself
    go.set()
    page.shows("main .answer", "It was opened in 1781 [1].")
    page.shows("main", "1 call")
    browser.refresh()
    page.shows("main .answer", "It was opened in 1781 [1].")
    assert len(browser.find_elements("css selector", ".turns > li")) == 1


def test_an_answer_that_nobody_watched_is_there(
    browser: Any, server: Server, model: ModelServer
) -> None:
    asked = httpx.post(
        f"{server.address}/api/threads", json={"question": QUESTION}, trust_env=False
    )
    thread = asked.json()["thread"]
    done = f"{server.address}/api/threads/{thread}"
    wait_for(lambda: not httpx.get(done, trust_env=False, timeout=60).json()["running"])
    browser.get(f"{server.address}/#{thread}")
    page = Page(browser, server)
    browser.get(f"{server.address}/#{thread}")
    page.shows("main .answer", "It was opened in 1781 [1].")
    assert len(model.calls) == 1


def test_two_strategies_answer_beside_each_other(
    browser: Any, server: Server, model: ModelServer
) -> None:
    model.answer = lambda _, said: ANSWER if "1781" in str(said) else {"answer": "In 1871."}
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
    browser: Any, server: Server, model: ModelServer, tmp_path: Path
) -> None:
    go, saved = threading.Event(), tmp_path / "saved"

    def slow(title: str, _: Any) -> Any:
        alone = {"kind": "question", "question": "Who built the Iron Bridge?"}
        return alone if title == "StandAlone" else go.wait(300) and ANSWER

    def listed() -> list[str]:
        return [each.text for each in browser.find_elements("css selector", "nav details li a")]

    model.answer = slow
    for river in ("Aar", "Elbe", "Isar", "Main", "Oder", "Saale"):
        asked = {"question": f"{QUESTION} And the {river}?"}
        httpx.post(f"{server.address}/api/threads", json=asked, trust_env=False)
    page = Page(browser, server)
    page.complaints()
    wait_for(lambda: page.text("nav").count("running") == 6)
    go.set()
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
