"""Contract tests: a plug-in proves itself by inheriting them.

Install them with `pip install hopyard[testing]`: pytest and pytest-asyncio are imported here and
nowhere else in Hopyard. A test class sets a few attributes and inherits the tests:

    class TestMine(StrategyContract):
        strategy = STRATEGY
        question = "When was the Iron Bridge opened?"
        answers = {"Answer": {"answer": "1781"}}
        answer = "1781"
        calls = 1
"""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite(
    *(f"hopyard.testing.{name}" for name in ("strategy", "index_kind", "search", "evidence"))
)

from hopyard.testing.checkpoints import plain_values, saved_values
from hopyard.testing.corpus import DOCUMENTS
from hopyard.testing.index_kind import IndexKindContract
from hopyard.testing.models import (
    FAILURES,
    GARBAGE,
    Answers,
    ChatRequest,
    ScriptedChat,
    WordEmbedder,
    word_vector,
)
from hopyard.testing.search import SearchContract
from hopyard.testing.strategy import StrategyContract

__all__ = (
    "DOCUMENTS",
    "FAILURES",
    "GARBAGE",
    "Answers",
    "ChatRequest",
    "IndexKindContract",
    "ScriptedChat",
    "SearchContract",
    "StrategyContract",
    "WordEmbedder",
    "plain_values",
    "saved_values",
    "word_vector",
)
