"""The model calls of one build."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

from hopyard.models.calls.call import ModelCaller
from hopyard.state.usage import Usage, add_usage, no_usage


@dataclass
class BuildCalls:
    """The model calls of a build. They are read from the ledger, and only if a kind asked."""

    _open: Callable[[], ModelCaller] | None
    _caller: ModelCaller | None = None
    _runs: list[str] = field(default_factory=list)

    @property
    def opener(self) -> Callable[[], ModelCaller] | None:
        """Opens the chat model; None if the build may not call a model."""
        if (given := self._open) is None:
            return None

        def open_caller() -> ModelCaller:
            self._caller = given()
            return self._caller

        return open_caller

    def run_of(self, kind: str) -> str:
        """A new run for the calls of a kind."""
        self._runs.append(f"{kind}/{uuid4().hex}")
        return self._runs[-1]

    def usage(self) -> Usage:
        """The cost of all runs so far."""
        total = no_usage()
        if self._caller is not None:
            for usage in map(self._caller.ledger.usage, self._runs):
                total = add_usage(total, usage)
        return total
