"""The columns of an evaluation: strategies, search methods and settings in any combination.

`tree` is a strategy, `tree+passage-graph` is the strategy with a search method of its own, and
`tree@tree.theta=0.6` has one setting changed; several are joined by further `@`. A few baselines
have names of their own, such as `bm25` for `single+sparse`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from hopyard.indexes.search import SEARCHES
from hopyard.state.errors import UsageError
from hopyard.state.settings.fields import AUTO, Context
from hopyard.state.settings.given import nest
from hopyard.state.settings.sources import change_context
from hopyard.state.strategy import STRATEGIES, strategies

BASELINES: Final[Mapping[str, str]] = {
    "bm25": "single+sparse",
    "dense": "single+dense",
    "hybrid": "single+hybrid",
    "rerank": "single+rerank",
}
"""The papers' baselines, by the papers' names."""


@dataclass(frozen=True)
class Variant:
    """One column of a comparison.

    Attributes:
        name: As it is written, and as the report has it.
        strategy: The strategy; auto is the whole agent.
        settings: Changes to the run's settings, by dotted name.
    """

    name: str
    strategy: str
    settings: Mapping[str, str] = field(default_factory=dict)
    about: str = ""

    def apply_to(self, context: Context) -> Context:
        """The run's settings with those of this variant.

        Raises:
            UsageError: A setting has no such name or value.
        """
        try:
            return change_context(
                context, nest([("strategy", self.strategy), *self.settings.items()])
            )
        except UsageError as error:
            raise UsageError(f"{self.name!r}: {error}") from error

    @property
    def search(self) -> str:
        """The search method that it names; "" where it takes the run's."""
        return self.settings.get("retrieval.method", "")


def every_variant() -> list[str]:
    """Every strategy and baseline, cheapest first, because others reuse their calls for free."""
    names = [strategy.name for strategy in strategies() if not strategy.baseline]
    known = [name for name, base in BASELINES.items() if base.partition("+")[0] in STRATEGIES]
    return [*names, *known, AUTO]


def sweep_names() -> dict[str, tuple[str, ...]]:
    """The evaluations that the strategies' papers report, as variants by name."""
    return {name: sweep for strategy in strategies() for name, sweep in strategy.sweeps.items()}


def parse_variants(names: Sequence[str], sweeps: Iterable[str] = ()) -> list[Variant]:
    """The variants of these names and sweeps, each once, in that order.

    Raises:
        UsageError: A name or a sweep is not known.
    """
    wanted, known = list(names), sweep_names()
    for sweep in sweeps:
        if sweep not in known:
            raise UsageError(f"There is no sweep {sweep!r}; there are {', '.join(known)}.")
        wanted += known[sweep]
    return [_variant(name) for name in dict.fromkeys(wanted)]


def _variant(name: str) -> Variant:
    base, *changes = name.split("@")
    strategy, plus, search = BASELINES.get(base, base).partition("+")
    if strategy != AUTO and strategy not in STRATEGIES:
        raise UsageError(
            f"There is no strategy {strategy!r} to evaluate; there are {', '.join(STRATEGIES)}, "
            f"{AUTO}, and the baselines {', '.join(BASELINES)}."
        )
    settings = {}
    if plus:
        if search not in SEARCHES:
            raise UsageError(
                f"There is no search method {search!r} for {name!r}; there are "
                f"{', '.join(SEARCHES)}, as in tree+sparse."
            )
        if strategy != AUTO and not STRATEGIES[strategy].retrieves:
            raise UsageError(f"The strategy {strategy!r} of {name!r} does not search.")
        settings["retrieval.method"] = search
    for change in changes:
        setting, separator, value = change.partition("=")
        if not separator:
            raise UsageError(f"{name!r} is not NAME@SETTING=VALUE, as in tree@tree.theta=0.6.")
        settings[setting] = value
    return Variant(name, strategy, settings, _about(strategy, search))


def _about(strategy: str, search: str) -> str:
    about = "gate and route choose" if strategy == AUTO else STRATEGIES[strategy].label or strategy
    return f"{about} ({search})" if search else about
