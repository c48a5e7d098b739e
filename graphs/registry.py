"""The strategies: what Hopyard knows of each, and where a package adds its own."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hopyard.state import registry
from hopyard.state.registry import Registry
from hopyard.state.schemas import RouteLabel, Step
from hopyard.state.settings import Group, Profile

if TYPE_CHECKING:  # half a second, which a list of names must not cost
    from langchain_core.runnables import Runnable

__all__ = ("STRATEGIES", "Strategy", "strategies")

StepsOf = Callable[[Mapping[str, Any]], Sequence[Step]]


@dataclass(frozen=True)
class Strategy:
    """How the model reasons with searches.

    A package offers one as entry point `hopyard.strategies`; the router, the command line, Studio,
    the evaluation and the trace find it there.

    Attributes:
        name: What `--strategy` takes.
        about: One or two sentences: what it does, and for which questions.
        graph: The compiled graph, or `module:attribute` of it, which is imported when it is needed.
            Its input is a `StrategyInput`, its output a `StrategyOutput`, its context a `Context`.
        needs: Index kinds without which it cannot run.
        route: How the route describes it to the model; None where it is only used when asked for.
        default_for: The prompt profiles whose `auto` takes it without asking the model.
        stronger: The strategies that an answer is handed to when it is Unknown or unsupported; the
            first that the index allows is taken.
        settings: Its settings.
        baseline: Whether it is there to be compared with.
        retrieves: Whether it reads documents.
        steps: `module:function` that makes steps of the strategy's state, also of an unfinished one
            or of a node's update; None where the state's `steps` hold them.
        rank: Its place in lists, the cheap strategies first.
        label: A few words for tables, such as "ToR-RAG: a tree of sub-questions".
        sweeps: Evaluations that its paper reports, as columns of `hopyard eval` by name.
        legend: What its words mean that a trace shows: verdicts, facts, signs in reasons.
    """

    name: str
    about: str
    graph: str | Runnable[Any, Any]
    needs: tuple[str, ...] = ()
    route: RouteLabel | None = None
    default_for: tuple[Profile, ...] = ()
    stronger: tuple[str, ...] = ()
    settings: type[Group] | None = None
    baseline: bool = False
    retrieves: bool = True
    steps: str | StepsOf | None = None
    rank: int = 50
    label: str = ""
    sweeps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    legend: Mapping[str, str] = field(default_factory=dict)

    def load_graph(self) -> Any:
        """The compiled graph."""
        return _load(self.graph)

    def steps_of(self, state: Mapping[str, Any]) -> Sequence[Step]:
        """The steps that a state, or a node's update, holds so far."""
        if self.steps is None:
            return state.get("steps") or ()
        steps: Sequence[Step] = _load(self.steps)(state)
        return steps


def _load(target: Any) -> Any:
    if not isinstance(target, str):
        return target
    module, _, attribute = target.partition(":")
    return getattr(importlib.import_module(module), attribute)


STRATEGIES: Final[Registry[Strategy]] = registry.STRATEGIES
"""Every strategy by name: those of `graphs.strategies`, of installed packages, and registered."""


def strategies() -> list[Strategy]:
    """All strategies, the cheap ones first."""
    return sorted(STRATEGIES.parts(), key=lambda strategy: (strategy.rank, strategy.name))
