"""Train a route and compare it, with the agent's own search and models."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

from hopyard.classifiers.route_features import Features
from hopyard.cli.interrupts import run_async
from hopyard.indexes.kind import Progress
from hopyard.nodes.resources import Resources, shared_resources
from hopyard.state.settings.fields import Context
from lab.route.adaptive_rag import NO_RETRIEVAL, classes_of, train_adaptive
from lab.route.comparison import RouteComparison, compare_routes
from lab.route.features import index_embedding, read_features
from lab.route.prompted import PromptedRoutes, ask_prompted_routes
from lab.route.records import RouteRecords, reading
from lab.route.training import RouteTraining, TrainedRoute, train

__all__ = ("Compared", "compare", "train_route")


class Compared(NamedTuple):
    """The routes to compare.

    Attributes:
        records: To report on.
        trained_on: To train on.
        single_hop: Sets of single-hop questions.
        ask: Whether the context's model is asked for routes too.
        record: Where its calls are recorded.
        parallel: Calls at once.
    """

    records: RouteRecords
    trained_on: RouteRecords
    single_hop: Sequence[str] = ()
    ask: bool = False
    record: Path | None = None
    parallel: int = 16


def train_route(
    records: RouteRecords,
    names: Sequence[str],
    context: Context,
    loss: float,
    progress: Progress,
) -> tuple[TrainedRoute, list[Features]]:
    """Train a route on records, and give the features of their questions.

    Args:
        records: Of every strategy in `names`.
        names: The strategies to choose among; empty for all that read documents.
        context: The index, instead of the recorded indexes.
        loss: F1 that the route may lose to save tokens, 0 to 1.
        progress: Called after each question.
    """
    resources = shared_resources()
    training = RouteTraining(
        model=records.model,
        embedding=run_async(index_embedding(records, context, resources)),
        strategies=tuple(names) or reading(records.strategies),
        loss=loss,
    )
    features = _features(records, context, resources, progress)
    return train(records.answered, features, training), features


def compare(compared: Compared, context: Context, progress: Progress) -> RouteComparison:
    """Train on some records, report on others, and ask the model for routes if that is wanted."""
    records, resources = compared.records, shared_resources()
    known = [name for name in compared.trained_on.strategies if name in records.strategies]
    trained, seen = train_route(compared.trained_on, reading(known), context, 0.01, progress)
    classes = classes_of(compared.trained_on.answered, known)
    adaptive = train_adaptive(compared.trained_on.answered, seen, classes, compared.single_hop)
    features = _features(records, context, resources, progress)
    prompted = _ask(compared, context, resources, progress) if compared.ask else None
    asked = resources.caller(context.model).provider.identity if compared.ask else ""
    return compare_routes(records, features, trained, adaptive, prompted, asked)


def _features(
    records: RouteRecords, context: Context, resources: Resources, progress: Progress
) -> list[Features]:
    return run_async(read_features(records, context, resources, progress=progress))


def _ask(
    compared: Compared, context: Context, resources: Resources, progress: Progress
) -> PromptedRoutes:
    """The prompts may choose every strategy that was recorded."""
    records = compared.records
    classes = classes_of(compared.trained_on.answered, compared.trained_on.strategies)
    if NO_RETRIEVAL in records.strategies:
        classes = {"A": NO_RETRIEVAL, **classes}
    recording = resources.recording(compared.record) if compared.record else nullcontext()
    with recording:
        return run_async(
            ask_prompted_routes(
                records.answered,
                records.strategies,
                classes,
                context,
                resources,
                parallel=compared.parallel,
                progress=progress,
            )
        )
