"""What is compared: strategies under fixed names, and the same with other settings.

`tree` is a strategy, `bm25` is `single` with another search, and `tree@tree.theta=0.6` is `tree`
with one setting changed; several are joined by further `@`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from hopyard.state.errors import UsageError
from hopyard.state.settings import STRATEGIES, Context

__all__ = ("ALL", "SWEEPS", "Variant", "parse_variants")

ALL: Final = (
    "direct",
    "single",
    "chain",
    "bm25",
    "dense",
    "hybrid",
    "decompose",
    "rerank",
    "tree",
    "hop",
    "auto",
)
"""Every strategy and baseline, the cheap ones first: what they paid for is free to the others."""

_BASES: Final[Mapping[str, tuple[str, dict[str, str], str]]] = {
    "bm25": ("single", {"retrieval.method": "sparse"}, "BM25, one search"),
    "dense": ("single", {"retrieval.method": "dense"}, "dense, one search"),
    "hybrid": ("single", {"retrieval.method": "hybrid"}, "BM25 and dense fused, one search"),
    "decompose": (
        "decompose",
        {"retrieval.method": "dense"},
        "dense, k/m passages for each of m sub-questions",
    ),
    "rerank": ("rerank", {"retrieval.method": "dense"}, "dense, 2·k passages reranked to k"),
}
_ABOUT: Final[Mapping[str, str]] = {
    "direct": "non-RAG: no document",
    "single": "native RAG: one search (MMR)",
    "chain": "CoR-RAG: sequential sub-questions",
    "tree": "ToR-RAG: a tree of sub-questions",
    "hop": "HopRAG: hops over the passage graph",
    "auto": "gate and route choose",
}

SWEEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "depth": tuple(f"tree@tree.max_depth={depth}" for depth in (1, 2, 3, 4)),
    "theta": (
        *(f"tree@tree.theta={theta}" for theta in ("0", "0.2", "0.4", "0.6", "0.8")),
        "tree@tree.judge=false",
    ),
    "hops": (
        *(f"hop@hop.n_hop={rounds}" for rounds in (1, 2, 3, 4)),
        *(f"hop@hop.top_k={k}" for k in (3, 6, 12, 20)),
    ),
}
"""What the papers owe: depth, θ with the judge on and off, rounds and width of the traversal."""


@dataclass(frozen=True)
class Variant:
    """One column of a comparison.

    Attributes:
        name: As it is written, and as the report has it.
        strategy: What runs; auto is the whole agent.
        settings: What differs from the run's settings, by dotted name.
        about: What it is, in a few words.
    """

    name: str
    strategy: str
    settings: Mapping[str, str] = field(default_factory=dict)
    about: str = ""

    def applied(self, context: Context) -> Context:
        """The run's settings with those of this variant.

        Raises:
            UsageError: A setting has no such name or value.
        """
        values = context.model_dump()
        for name, value in {**self.settings, "strategy": self.strategy}.items():
            *groups, last = name.split(".")
            inner: Any = values
            for group in groups:
                inner = inner.get(group) if isinstance(inner, dict) else None
            if not isinstance(inner, dict) or last not in inner:
                raise UsageError(f"{self.name!r}: there is no setting {name!r}; see `settings`.")
            inner[last] = value
        try:
            return Context.model_validate(values)
        except ValidationError as error:
            raise UsageError(f"{self.name!r} is not usable: {error.errors()[0]['msg']}.") from error


def parse_variants(names: Sequence[str], sweeps: Iterable[str] = ()) -> list[Variant]:
    """The variants of these names and sweeps, each once, in that order.

    Raises:
        UsageError: A name or a sweep is not known.
    """
    wanted = list(names)
    for sweep in sweeps:
        if sweep not in SWEEPS:
            raise UsageError(f"There is no sweep {sweep!r}; there are {', '.join(SWEEPS)}.")
        wanted += SWEEPS[sweep]
    return [_variant(name) for name in dict.fromkeys(wanted)]


def _variant(name: str) -> Variant:
    base, *changes = name.split("@")
    settings = {}
    for change in changes:
        setting, separator, value = change.partition("=")
        if not separator:
            raise UsageError(f"{name!r} is not NAME@SETTING=VALUE, as in tree@tree.theta=0.6.")
        settings[setting] = value
    if base in _BASES:
        strategy, fixed, about = _BASES[base]
        return Variant(name, strategy, {**fixed, **settings}, about)
    if base not in (*STRATEGIES, "auto"):
        known = ", ".join(dict.fromkeys((*ALL, *STRATEGIES)))
        raise UsageError(f"There is no strategy {base!r} to evaluate; there are {known}.")
    return Variant(name, base, settings, _ABOUT.get(base, ""))
