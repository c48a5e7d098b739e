from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from gates import write_gate


@pytest.fixture
def gate_folder(tmp_path: Path) -> Callable[[float], Path]:
    """A folder with a gate that has the same logit for every question."""
    return lambda logit: write_gate(tmp_path / f"gate{logit}", logit)
