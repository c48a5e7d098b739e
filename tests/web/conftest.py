"""A server over an index about bridges, with a chat model that answers from a script."""

from __future__ import annotations

import asyncio
import io
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from model_server import Answer, ModelServer
from starlette.testclient import TestClient

from hopyard.nodes.resources import Resources
from hopyard.state.settings.given import Given, read_given
from hopyard.web import change
from hopyard.web.app import application

from ..agent.conftest import QUESTION, built, index

__all__ = ("built", "index")

ANSWER = {"answer": "It was opened in 1781 [1].", "passages": [1]}
HTML = '<p>It was opened in 1781 <a class="mark" href="#source-1">[1]</a>.</p>'


@pytest.fixture
def chat(model_server: ModelServer) -> ModelServer:
    model_server.answer = replies({"Answer": ANSWER})
    return model_server


def replies(table: Mapping[str, Any]) -> Answer:
    """Answers by the name of the output; of a list one after the other, the last one again."""
    given = {name: iter(found) for name, found in table.items() if isinstance(found, list)}
    last: dict[str, Any] = {}

    def answer(title: str, _: list[dict[str, Any]]) -> Any:
        if title not in given:
            return table[title]
        last[title] = next(given[title], last.get(title))
        return last[title]

    return answer


class Held:
    """A model that does not answer until it is let go."""

    def __init__(self, chat: ModelServer) -> None:
        self.asked, self.go = threading.Event(), threading.Event()
        chat.answer = self

    def __call__(self, title: str, _: list[dict[str, Any]]) -> Any:
        self.asked.set()
        assert self.go.wait(300), title
        return {"kind": "question", "question": QUESTION} if title == "StandAlone" else ANSWER


@pytest.fixture
def held(chat: ModelServer) -> Held:
    return Held(chat)


@pytest.fixture
def given(index: Path, chat: ModelServer) -> Given:
    del chat
    settings = {
        "index": str(index),
        "model": "scripted",
        "embedding": "words",
        "profile": "capable",
        "gate": "off",
        "strategy": "single",
    }
    return read_given(settings.items())


@contextmanager
def served(given: Given, token: str = "", **more: Any) -> Iterator[TestClient]:
    """A client of a server of its own, with a person's token."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    with (
        Resources() as resources,
        TestClient(
            application(given, resources, **more), base_url="http://localhost", headers=headers
        ) as client,
    ):
        yield client


@pytest.fixture
def client(given: Given) -> Iterator[TestClient]:
    with served(given) as opened:
        yield opened


class ChangeHere:
    """`python -m hopyard.web.change` in a thread: the process takes seconds to import Hopyard."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.stdin, self.stdout = self, asyncio.StreamReader()
        self.returncode: int | None = None
        self._patch, self._loop = patch, asyncio.get_running_loop()

    def write(self, asked: bytes | str) -> None:
        """The server writes what it asks for, in bytes; the change its lines."""
        if isinstance(asked, str):
            self._loop.call_soon_threadsafe(self.stdout.feed_data, asked.encode())
            return
        streams = SimpleNamespace(stdin=io.BytesIO(asked), __stdout__=self, stderr=sys.stderr)
        self._patch.setattr(change, "sys", streams)
        self._made = asyncio.create_task(self._make())

    async def _make(self) -> None:
        try:
            await asyncio.to_thread(change.main)
        finally:
            self.returncode = 0
            self.stdout.feed_eof()

    async def wait(self) -> None:
        await self._made

    def close(self) -> None:
        """As the process's input is closed."""

    def flush(self) -> None:
        """Nothing is held back."""

    def kill(self) -> None:
        """A thread ends by itself."""


@pytest.fixture
def changes_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes of an index are made in this process, with its embedding and its model."""

    async def begin(*_: Any, **__: Any) -> ChangeHere:
        return ChangeHere(monkeypatch)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", begin)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Any]:
    """Headless Chromium, without a network; once for each process that tests."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("there is no Chromium with its driver (apt-get install chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--window-size=1280,1400",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ):
        options.add_argument(argument)
    service = webdriver.ChromeService(executable_path=driver)
    started = webdriver.Chrome(options=options, service=service)
    yield started
    started.quit()


@pytest.fixture
def browser(chromium: Any) -> Iterator[Any]:
    """Chromium as if it had just been started: no page, no complaint, a desk by day, no touch."""
    chromium.get("about:blank")
    chromium.get_log("browser")
    yield chromium
    for command, values in {
        "Emulation.setTouchEmulationEnabled": {"enabled": False},
        "Emulation.clearDeviceMetricsOverride": {},
        "Emulation.setEmulatedMedia": {"features": []},
        "Page.setDownloadBehavior": {"behavior": "default"},
    }.items():
        chromium.execute_cdp_cmd(command, values)
    chromium.get("about:blank")  # no page waits for a server that ends
