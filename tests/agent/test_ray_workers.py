"""An error of Ray, which is stood in for; `tests/reliability/test_ray.py` runs the real Ray."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import pytest

from hopyard.agent.workers.ray_workers import ray_workers
from hopyard.state.errors import HopyardError
from hopyard.state.settings.fields import Context


def test_ray_that_starts_too_slowly_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def init(**_: object) -> None:
        # Ray 2.60.0 raises no class of its own here.
        raise Exception("The current node timed out during startup.\nSee the logs.")

    ray = ModuleType("ray")
    ray.__spec__, ray.init = ModuleSpec("ray", None), init  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ray", ray)
    said = r"^Ray \(ray\) cannot be used \(The current node timed out during startup\.\): check"
    with (
        pytest.raises(HopyardError, match=said),
        ray_workers("ray", "postgresql://me@db/docs?index=docs", Context()),
    ):
        pytest.fail("there is no Ray")
