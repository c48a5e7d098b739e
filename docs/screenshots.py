"""The pictures of `hopyard serve` and of a saved trace in README.md and docs: `make screenshots`.

Builds a small index, answers with a script in place of a chat model, and photographs the page in
Chromium. It needs Chromium with its driver, and the packages of the `dev` extra.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
from content import Section
from model_server import ModelServer
from papers import pdf
from PIL import Image
from selenium import webdriver

FIGURES: Final = Path(__file__).parent / "figures"
MOST_BYTES: Final = 150_000
MOST_TRACE_BYTES: Final = 70_000
DESK, TELEPHONE, TRACE = (1280, 800), (390, 780), (900, 1000)
QUESTION: Final = "When did the first picking begin, and how large is the new cold room?"
REPORT: Final = [
    Section(
        "Harvest",
        [
            "Spring in Boseong was cool. The first picking began on 21 April, twelve days later "
            "than the year before, and brought 3,840 kilograms of green tea.",
            "The second picking was cancelled because of the rain in June. The leaves of that "
            "month went to the compost of the garden.",
            "Nineteen families picked. Each basket was weighed at the gate, and the best leaves "
            "were steamed on the same day. Two steamers were repaired in March; the third is from "
            "1998 and will be replaced before the next spring.",
            "The members voted for a common dryer. It costs as much as two years of repairs.",
        ],
    ),
    Section(
        "Warehouse",
        [
            "The warehouse in Bremen gained a cold room of 85 square metres. It keeps the tea at "
            "four degrees.",
            "The move from the old hall took nine days. No sack was lost.",
            "From Bremen the tea goes to 41 shops in four countries. Half of the sacks leave the "
            "warehouse within three weeks after their arrival.",
            "The board expects 4,000 kilograms of green tea in the coming year. It will offer the "
            "roasted tea in smaller bags, because shops asked for them.",
        ],
    ),
]
HANDBOOK: Final = """# Staff handbook

## Working hours

Everybody works 36 hours a week. The core hours are from 10:00 to 15:00.

## Flights

A flight needs the board's approval if a train takes less than nine hours.
"""


def reply(name: str, messages: list[dict[str, Any]]) -> dict[str, Any] | str:
    """The script: an answer that cites the passages which hold the words."""
    if name != "Answer":
        return "Harvest and warehouse"
    prompt = str(messages[-1]["content"])

    def number(words: str) -> int:
        before = prompt[: prompt.find(words)]
        return int(re.findall(r"^\[(\d+)\]", before, re.MULTILINE)[-1])

    picking, room = number("21 April"), number("85 square")
    answer = (
        f"The first picking began on 21 April, twelve days later than the year before [{picking}]. "
        f"The warehouse in Bremen gained a cold room of 85 square metres [{room}]."
    )
    return {"answer": answer, "passages": sorted({picking, room})}


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a server over the sample."""
    documents = folder / "cooperative"
    documents.mkdir()
    (documents / "report-2024.pdf").write_bytes(pdf(REPORT, "Annual report 2024", "Jonas Brandt"))
    (documents / "handbook.md").write_text(HANDBOOK, "utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    hopyard = [sys.executable, "-m", "hopyard.cli.main"]
    with ModelServer(reply) as model:
        environment = os.environ | model.environment()
        environment |= {"HOPYARD_HOME": str(folder / "home"), "HOPYARD_PROFILE": "capable"}
        index = str(folder / "tea")
        build = [*hopyard, "index", "build", str(documents), "--out", index]
        subprocess.run(build, env=environment, check=True)  # noqa: S603
        serve = [*hopyard, "serve", "--index", index, "--port", str(port)]
        serve += ["--model", "openai:scripted", "--strategy", "single"]
        server = subprocess.Popen(serve, env=environment)  # noqa: S603
        try:
            wait_for(lambda: server.poll() is not None or answers(address))
            yield address
        finally:
            server.terminate()
            server.wait()


def saved_trace(folder: Path) -> Path:
    """The saved trace of the demo's third question, which a recorded model answers."""
    root, sample = Path(__file__).parents[1], "examples/solar_system"
    question = (root / sample / "demo_questions.txt").read_text("utf-8").splitlines()[2]
    index, page = str(folder / "demo"), folder / "trace.html"
    environment = os.environ | {"HOPYARD_HOME": str(folder / "home")}
    for arguments in (
        ["index", "build", f"{sample}/corpus.jsonl", "--out", index],
        [
            "ask",
            question,
            "-i",
            index,
            "-k",
            "3",
            "-t",
            "demo",
            "--model",
            f"recorded:{sample}/recording",
        ],
        ["trace", "demo", "--html", str(page)],
    ):
        hopyard = [sys.executable, "-m", "hopyard.cli.main", *arguments]
        subprocess.run(hopyard, env=environment, cwd=root, check=True)  # noqa: S603
    return page


def answers(address: str) -> bool:
    """Whether the server is there."""
    try:
        return httpx.get(f"{address}/api/status", trust_env=False, timeout=60).is_success
    except httpx.TransportError:
        return False


def wait_for(reached: Callable[[], Any], seconds: float = 180) -> Any:
    """Wait until it is there, and return it."""
    until = time.monotonic() + seconds
    while not (found := reached()):
        if time.monotonic() > until:
            raise SystemExit("The page does not show what was waited for.")
        time.sleep(0.1)
    return found


class Camera:
    """Chromium, which takes the pictures."""

    def __init__(self) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
            options.add_argument(argument)
        service = webdriver.ChromeService(executable_path=shutil.which("chromedriver") or "")
        self.browser = webdriver.Chrome(options=options, service=service)

    def find(self, selector: str) -> Any:
        """The first element that a selector finds; None for none."""
        found = self.browser.find_elements("css selector", selector)
        return found[0] if found else None

    def look(self, size: tuple[int, int], scheme: str) -> None:
        """A screen of this size, light or dark."""
        screen = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        screen["mobile"] = size == TELEPHONE
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)

    def take(self, name: str, most_bytes: int = MOST_BYTES) -> None:
        """Write a picture as WebP, as good as its size allows."""
        loaded = "return [...document.images].every((each) => each.complete)"
        wait_for(lambda: self.browser.execute_script(loaded))
        time.sleep(0.5)  # what moves has come to rest
        picture = Image.open(io.BytesIO(self.browser.get_screenshot_as_png())).convert("RGB")
        for quality in (90, 80, 65, 50):
            data = io.BytesIO()
            picture.save(data, "WEBP", quality=quality, method=6)
            if data.tell() < most_bytes:
                break
        (FIGURES / f"{name}.webp").write_bytes(data.getvalue())
        print(f"docs/figures/{name}.webp: {data.tell():,} bytes")


def main() -> None:
    """Take all pictures."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as address:
        camera = Camera()
        try:
            camera.look(DESK, "light")
            camera.browser.get(address)
            wait_for(lambda: camera.find("textarea")).send_keys(QUESTION)
            camera.take("serve-start")
            camera.find("form button[type=submit]").click()
            wait_for(lambda: camera.find(".citations button"))
            wait_for(lambda: camera.find("a.mark")).click()
            wait_for(lambda: camera.find("aside"))
            camera.take("serve-citation")
            camera.browser.refresh()
            camera.look(TELEPHONE, "dark")
            wait_for(lambda: camera.find("a.mark"))
            camera.browser.execute_script("scrollTo(0, 0)")
            camera.take("serve-telephone")
            camera.look(TRACE, "light")
            camera.browser.get(saved_trace(Path(folder)).as_uri())
            opened = (
                ".steps > ol > li:nth-child(n+4) > details, .steps li:nth-child(5) .inside details"
            )
            camera.browser.execute_script(
                f"for (const each of document.querySelectorAll('{opened}')) each.open = true"
            )
            camera.take("trace", MOST_TRACE_BYTES)
        finally:
            camera.browser.quit()


if __name__ == "__main__":
    main()
