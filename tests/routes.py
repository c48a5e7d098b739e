"""A trained route for tests: its probabilities are the same for every question."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from hopyard.classifiers.route import RouteManifest, RouteWeights, StrategyRoute
from hopyard.classifiers.route_features import NAMED

__all__ = ("constant_route", "write_route")


def constant_route(
    probabilities: dict[str, float],
    *,
    margin: float = 0.1,
    dimension: int = 32,
    model: str = "scripted",
    embedding: str = "ollama:words",
) -> StrategyRoute:
    """A route that gives every question these probabilities; later strategies cost more."""
    names = tuple(probabilities)
    columns = len(NAMED) + dimension
    manifest = RouteManifest(
        model=model,
        embedding=embedding,
        strategies=names,
        tokens={name: 1000.0 * number for number, name in enumerate(names, 1)},
        features=NAMED,
        margin=margin,
        questions={"bridges": 20},
        labels={names[0]: 20},
        training={},
        validation={},
    )
    weights = RouteWeights(
        center=np.zeros(columns),
        scale=np.ones(columns),
        weights=np.zeros((len(names), columns)),
        biases=np.array([2 * math.log(p / (1 - p)) for p in probabilities.values()]),
        temperatures=np.full(len(names), 2.0),
    )
    return StrategyRoute(manifest, weights)


def write_route(folder: Path, probabilities: dict[str, float], **values: object) -> Path:
    """Write such a route into a folder."""
    constant_route(probabilities, **values).save(folder)  # type: ignore[arg-type]
    return folder
