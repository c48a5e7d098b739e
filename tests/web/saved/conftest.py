"""Saved traces, and how a test opens them in Chromium."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hopyard.state.schemas import Citation, passage_evidence
from hopyard.tracing.model import Trace
from hopyard.web.saved import saved_trace

from ...tracing.made import HOPS, HOSTILE, QUESTION, TREE, made_trace, use, with_texts
from ..page import wait_for

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
