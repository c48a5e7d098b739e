"""Several people and broken connections: the short version of the benchmark, without its kills.

tests/reliability/test_server_kills.py has the same people at a server that is killed.
"""

from __future__ import annotations

import asyncio
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.server

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "serve_load.py"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    spec = spec_from_file_location("serve_load", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "serve_load", module)  # for its dataclass
    spec.loader.exec_module(module)
    return module


def test_nothing_is_lost_and_nothing_comes_twice(load: Any, tmp_path: Path) -> None:
    found = asyncio.run(load.measure(tmp_path, people=4, rounds=2, kills=0, calm=0))
    assert found["problems"] == []
    assert found["questions"] == 8
    assert found["broken connections"] > 0
