"""Compare trained routes, prompts, single strategies and the oracle on the same answers.

Everything is chosen on the training records; the other records are only reported on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from hopyard.classifiers.route_features import Features
from lab.route.adaptive_rag import AdaptiveRag
from lab.route.headroom import ALL, EQUAL_READING, PolicyResult, always, measure_policies
from lab.route.outcomes import (
    Answered,
    Outcome,
    cheapest_as_good_as,
    oracle,
)
from lab.route.prompted import PromptedRoutes
from lab.route.records import RouteRecords, reading
from lab.route.training import TrainedRoute

__all__ = ("ADAPTIVE_TRAINED", "TRAINED", "RouteComparison", "compare_routes", "comparison_verdict")

TRAINED = "trained route"
ADAPTIVE_TRAINED = "Adaptive-RAG's labels, trained"
LOSS = 0.01
"""F1 that a default route may lose to the best strategy alone."""
SHARE = 0.5
"""Of the tokens of that strategy, which it may take at most."""


class RouteComparison(BaseModel):
    """The routes on each question set, and on all together.

    Attributes:
        model: The chat model that answered.
        strategies: That the trained route chooses among.
        trained_on: Questions by set.
        best: The strategy with the highest mean F1 on the training records; differences are to it.
        training: The cross-validated figures of the trained route.
        adaptive_labels: Training questions by Adaptive-RAG's class.
        sets: Policies by question set, `all` last where there are several.
        questions: Questions by set.
        asked: The model of the prompts; "" where none was asked.
        failed: Calls of the prompts without a usable output.
    """

    model_config = ConfigDict(frozen=True)

    model: str
    strategies: tuple[str, ...]
    trained_on: dict[str, int]
    best: str
    training: dict[str, Any]
    adaptive_labels: dict[str, int]
    sets: dict[str, dict[str, PolicyResult]]
    questions: dict[str, int]
    asked: str = ""
    failed: int = 0


def compare_routes(
    records: RouteRecords,
    features: Sequence[Features],
    trained: TrainedRoute,
    adaptive: AdaptiveRag,
    prompted: PromptedRoutes | None,
    asked: str,
) -> RouteComparison:
    """Measure every policy.

    Args:
        records: To report on, with every strategy that a policy may choose.
        features: Of their questions, in the same order.
        trained: A route that was trained on other questions.
        adaptive: The same.
        prompted: The prompts' choices for these questions, or None without a model.
        asked: The model of the prompts.
    """
    answered, manifest = records.answered, trained.route.manifest
    policies = _policies(answered, records.strategies, features, trained, adaptive)
    policies |= prompted.policies if prompted else {}
    rows: dict[str, list[int]] = {name: [] for name in records.infos}
    for number, each in enumerate(answered):
        rows[each.set].append(number)
    if len(rows) > 1:
        rows[ALL] = list(range(len(answered)))
    return RouteComparison(
        model=records.model,
        strategies=manifest.strategies,
        trained_on=manifest.questions,
        best=trained.best,
        training={**manifest.training, "margin": manifest.margin, **manifest.validation},
        adaptive_labels=dict(sorted(Counter(adaptive.labels).items())),
        sets={
            name: measure_policies(
                {policy: [chosen[row] for row in numbers] for policy, chosen in policies.items()},
                always([answered[row] for row in numbers], trained.best),
            )
            for name, numbers in rows.items()
        },
        questions={name: len(numbers) for name, numbers in rows.items()},
        asked=asked,
        failed=prompted.failed if prompted else 0,
    )


def _policies(
    answered: Sequence[Answered],
    names: Sequence[str],
    features: Sequence[Features],
    trained: TrainedRoute,
    adaptive: AdaptiveRag,
) -> dict[str, list[tuple[str, Outcome]]]:
    readers = reading(names)
    offered = trained.route.manifest.strategies
    choices: Mapping[str, Sequence[str]] = {
        TRAINED: [
            choice.strategy
            for each in features
            if (choice := trained.route.choose(each, offered)) is not None
        ],
        ADAPTIVE_TRAINED: adaptive.choose(features),
        "oracle, reads documents": [oracle(each, readers) for each in answered],
        EQUAL_READING: [cheapest_as_good_as(each, readers, trained.best) for each in answered],
        "oracle": [oracle(each, names) for each in answered],
    }
    found: dict[str, list[tuple[str, Outcome]]] = {
        f"always {name}": list(always(answered, name)) for name in names
    }
    for policy, chosen in choices.items():
        pairs = zip(answered, chosen, strict=True)
        found[policy] = [(name, each.outcomes[name]) for each, name in pairs]
    return found


def comparison_verdict(found: RouteComparison) -> str:
    """Whether the trained route loses at most one point of F1 at half the tokens."""
    policies = found.sets.get(ALL) or next(iter(found.sets.values()))
    route, best = policies[TRAINED], policies[f"always {found.best}"]
    lost, share = -route.f1_difference.mean, route.tokens.mean / best.tokens.mean
    reached = lost <= LOSS and share <= SHARE
    least = policies[EQUAL_READING].tokens.mean / best.tokens.mean
    text = (
        f"The trained route has F1 {100 * route.f1.mean:.1f} against {100 * best.f1.mean:.1f} of "
        f"always {found.best}, at {share:.0%} of its tokens. "
    )
    if reached:
        return text + "It loses at most one point at half the tokens, so it can be a default."
    return text + (
        "A default would have to lose at most one point at half the tokens. A perfect route among "
        f"the strategies that read documents would need {least:.0%} of them."
    )
