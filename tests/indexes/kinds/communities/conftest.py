"""A window so small that communities of a few members do not fit."""

from __future__ import annotations

import pytest

from hopyard.prompts.traits import TRAITS, Traits


@pytest.fixture
def small_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prompts show 100 tokens of a community."""
    monkeypatch.setitem(TRAITS, "capable", Traits(report_tokens=100))  # type: ignore[arg-type]
