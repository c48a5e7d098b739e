"""The page as a person uses it, over a server in this process; and the checks of every view."""

from __future__ import annotations

import asyncio
import lzma
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import uvicorn

from hopyard.nodes.resources import Resources
from hopyard.state.settings.given import read_given
from hopyard.web.app import Server, application

PLAIN: Any = {
    "trust_env": False,
    "timeout": 90,
    "verify": ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
}
"""For httpx: to load the certificates of the world takes longer than a request to this machine."""
AXE = lzma.decompress((Path(__file__).parent / "axe" / "axe.min.js.xz").read_bytes()).decode()
"""The accessibility checker of Deque Systems, version 4.14.1, under the licence beside it."""
RUN_AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations"]}).then(
  (found) => done(found.violations.flatMap((rule) =>
    rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 200)}`))),
  (error) => done([String(error)]));
"""
LOOKS = [("light", 1280, 900), ("dark", 390, 844)]
"""A colour depends on the scheme alone, and a place on the size alone: two looks show all four."""


def wait_for(reached: Callable[[], Any], seconds: float = 90) -> Any:
    until = time.monotonic() + seconds
    while not (found := reached()):
        assert time.monotonic() < until
        time.sleep(0.1)  # to look takes two processes some milliseconds
    return found


class LiveServer:
    """`hopyard serve` in a thread. While `broken`, a proxy before it answers with 502."""

    def __init__(self, index: Path, **changes: Any) -> None:
        self.broken, self.slow = False, 0.0
        settings = {"index": str(index), "model": "scripted", "embedding": "words"}
        settings |= {"profile": "capable", "gate": "off", "strategy": "single"}
        self._given = read_given((settings | changes).items())

    def __enter__(self) -> LiveServer:
        self._resources = Resources().__enter__()
        self.app = application(self._given, self._resources)
        config = uvicorn.Config(
            self._proxy,
            port=0,
            log_level="critical",
            timeout_graceful_shutdown=1,
            interface="asgi3",
        )
        self._server = Server(config, self.app)
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()
        wait_for(lambda: self._server.started)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{port}"
        return self

    def stop(self) -> None:
        """Let it end, as Ctrl-C does."""
        self._server.should_exit = True

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._thread.join()
        self._resources.__exit__(None, None, None)

    async def _proxy(self, scope: Any, receive: Any, send: Any) -> None:
        async def sent(message: Any) -> None:
            if self.broken:
                raise ConnectionError
            await send(message)

        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif self.broken:
            await send({"type": "http.response.start", "status": 502, "headers": []})
            await send({"type": "http.response.body", "body": b"Bad Gateway"})
        else:
            if scope["method"] == "POST":
                await asyncio.sleep(self.slow)
            await self.app(scope, receive, sent)


class Page:
    """The page as a person uses it."""

    def __init__(self, browser: Any, server: Any) -> None:
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


def look(browser: Any, scheme: str, width: int, height: int) -> None:
    """Light or dark, on a screen of this size."""
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def faults(browser: Any) -> list[str]:
    """The faults that axe finds on the page as it is: light and dark, on a desk and a telephone."""
    if not browser.execute_script("return 'axe' in window"):
        browser.execute_script(AXE)
    found = []
    for each in LOOKS:
        look(browser, *each)
        found += [f"{each}: {fault}" for fault in browser.execute_async_script(RUN_AXE)]
    look(browser, *LOOKS[0])
    return found
