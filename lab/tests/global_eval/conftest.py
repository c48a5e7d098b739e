from __future__ import annotations

from collections.abc import Iterator

import pytest

from hopyard.state.strategy import STRATEGIES
from lab.global_eval.map_reduce import STRATEGY
from tests.evaluation.conftest import (
    context,
    graphs_context,
    index,
    passages,
    plan,
    questions_file,
    script,
)

__all__ = ("context", "graphs_context", "index", "passages", "plan", "questions_file", "script")


@pytest.fixture
def map_reduce() -> Iterator[None]:
    """The baseline is registered, as `python -m lab.global_eval` does."""
    with STRATEGIES.registered(STRATEGY):
        yield
