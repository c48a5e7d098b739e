"""The record of a strategy, and the registry of strategies."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hopyard.state.group import Group, Profile
from hopyard.state.registry import Registry, load
from hopyard.state.schemas import RouteLabel, Step

if TYPE_CHECKING:  # half a second, which a list of names must not cost
    from langchain_core.runnables import Runnable

StepsOf = Callable[[Mapping[str, Any]], Sequence[Step]]


@dataclass(frozen=True)
class Strategy:
    """A way for the model to reason with searches.

    A package declares a strategy as an entry point of the group `hopyard.strategies`. The router,
    the command line, Studio, the evaluation and the trace find it there.

    Attributes:
        name: Its name for `--strategy`.
        about: One or two sentences about its method and its best questions.
        graph: The compiled graph, or its `module:attribute`, which is imported on first use.
            Its input is a `StrategyInput`, its output a `StrategyOutput`, its context a `Context`.
        needs: Index kinds that it requires.
        route: Its description in the route's prompt, or None if only users choose it.
        default_for: Prompt profiles for which `auto` means this strategy.
        beside: Prompt profiles for which `auto` lets the model choose between the default and this
            strategy, which answers questions that the default cannot.
        form: A regular expression of the questions that a route offers it for, whatever their
            capitals; "" for all.
        stronger: Strategies that try again if the answer is Unknown or unsupported. `check` takes
            the first that the index allows; after a default strategy, only if `check` is on.
        profiles: Prompt profiles for which the route's model may choose it, or the check take it.
        baseline: Whether it is only a baseline for comparisons.
        retrieves: Whether it reads documents.
        steps: A function, or its `module:function`, that makes steps from the strategy's state,
            also from an unfinished state or a node's update. None means the state's `steps`.
        rank: Its position in lists; cheap strategies come first.
        calls: Model calls that a question usually takes, as docs/results.md has them, or the
            `module:function` that estimates them from the index of a run; None if neither can.
        label: A few words for tables, such as "ToR-RAG: a tree of sub-questions".
        sweeps: Evaluations that its paper reports, as columns of `hopyard eval` by name.
        legend: The meaning of its verdicts, facts and signs in a trace.
    """

    name: str
    about: str
    graph: str | Runnable[Any, Any]
    needs: tuple[str, ...] = ()
    route: RouteLabel | None = None
    default_for: tuple[Profile, ...] = ()
    beside: tuple[Profile, ...] = ()
    form: str = ""
    stronger: tuple[str, ...] = ()
    settings: type[Group] | None = None
    profiles: tuple[Profile, ...] = ("builtin", "small", "capable")
    baseline: bool = False
    retrieves: bool = True
    steps: str | StepsOf | None = None
    rank: int = 50
    calls: float | str | None = None
    label: str = ""
    sweeps: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    legend: Mapping[str, str] = field(default_factory=dict)

    def fits(self, question: str) -> bool:
        """Whether a route offers it for a question."""
        return re.search(self.form, question, re.IGNORECASE) is not None

    def load_graph(self) -> Any:
        """Return the compiled graph."""
        return load(self.graph)

    async def estimate_calls(self, run: object) -> float | None:
        """About how many model calls a question takes; None if that is unknown.

        Args:
            run: A run (`nodes.run.Run`) with the index.

        Raises:
            HopyardError: The index does not have what the strategy reads.
        """
        if not isinstance(self.calls, str):
            return self.calls
        calls: float = await load(self.calls)(run)
        return calls

    def steps_of(self, state: Mapping[str, Any]) -> Sequence[Step]:
        """Return the steps of a state or of a node's update."""
        if self.steps is None:
            return state.get("steps") or ()
        steps: Sequence[Step] = load(self.steps)(state)
        return steps


STRATEGIES: Final = Registry[Strategy](
    "strategy",
    package="hopyard.graphs.strategies",
    attribute="STRATEGY",
    group="hopyard.strategies",
)
"""Every strategy by name: built-in, from installed packages, and registered."""


def strategies() -> list[Strategy]:
    """Return all strategies, cheap strategies first."""
    return sorted(STRATEGIES.parts(), key=lambda strategy: (strategy.rank, strategy.name))
