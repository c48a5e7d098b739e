"""Questions of two sub-questions, side by side and one after the other."""

from __future__ import annotations

import pytest

from ..script import Script
from ..tree.trees import IRON, ROOT, STONE
from .plans import LENGTH, LONG, RIVER, found, plan


@pytest.fixture
def pair(script: Script) -> Script:
    """Two sub-questions that can be answered side by side."""
    script.lines = {
        ("plan", ROOT): plan(IRON, STONE),
        ("part", IRON): found("1781", 1),
        ("part", STONE): found("1146", 1),
        ("close", ROOT): found("the Stone Bridge", 1, 2),
    }
    return script


@pytest.fixture
def chain(script: Script) -> Script:
    """A sub-question that needs the answer to the one before."""
    script.lines = {
        ("plan", LONG): plan(RIVER, "How long is the #1?"),
        ("part", RIVER): found("Severn", 1),
        ("part", LENGTH): found("354 kilometres", 1),
        ("close", LONG): found("354 kilometres", 2),
    }
    return script
