"""The fixtures of the hops' tests, a hostile passage, and a browser where there is one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..graphs.conftest import CORPUS, Words, context, session
from ..hop.conftest import BRIDGES, script
from ..hop.drawn import build_drawn

__all__ = ("browser", "context", "index", "script", "session")

HOSTILE = (
    "The </script><script>window.hacked = 1</script> gate opened in 1999. "
    '<img src=x onerror="window.hacked = 2"> <b>Nobody</b> & "nothing" was hurt.'
)


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The passages of the hops' tests and one whose text would be a program."""
    texts = {**CORPUS, "hostile": HOSTILE}
    edges = [*BRIDGES, ("severn", "When did the <i>gate</i> open?", "hostile")]
    return build_drawn(tmp_path_factory.mktemp("traces") / "index", texts, edges, Words())


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Headless Chromium, without a network."""
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
