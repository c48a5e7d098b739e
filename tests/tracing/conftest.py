"""The traces that the page is made of."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hopyard.state.schemas import Citation, passage_evidence
from hopyard.tracing.model import Trace

from .made import HOPS, HOSTILE, QUESTION, TREE, made_trace, use, with_texts


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
