"""A window so small that communities of a few members do not fit."""

from __future__ import annotations

import pytest

from hopyard.indexes.kinds.communities.writing import LIMITS, Limits


@pytest.fixture
def small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompts show 100 tokens of a community."""
    monkeypatch.setitem(LIMITS, "capable", Limits(100, 8))  # type: ignore[arg-type]
