"""Running a trained route: the probability that each strategy answers a question rightly.

The cheapest strategy is taken whose probability is at most a margin below the highest.
`lab.route` trains such a route.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hopyard.classifiers.route_features import NAMED, Features, feature_matrix
from hopyard.state.errors import RouteUnavailableError
from hopyard.state.settings.fields import AUTO
from hopyard.state.storage.atomic import write_file

__all__ = (
    "MODEL",
    "ROUTE_FILE",
    "WEIGHTS_FILE",
    "Choice",
    "RouteManifest",
    "RouteWeights",
    "StrategyRoute",
    "cheapest_within",
    "find_route",
    "lasting_route",
)

MODEL: Final = "model"
"""The setting `route` that asks the chat model."""
ROUTE_FILE: Final = "route.json"
WEIGHTS_FILE: Final = "weights.npz"
FORMAT: Final = 1

Floats = npt.NDArray[np.float64]


class RouteManifest(BaseModel):
    """How a route was trained, and how its probabilities become a choice.

    Attributes:
        format: Of this file.
        model: The chat model whose answers it learned from; for another one it may be wrong.
        embedding: The embedding model of the sentence vectors.
        strategies: In the order of the weights' rows.
        tokens: Mean tokens of each strategy. The route prefers cheap strategies.
        features: Names of the columns before the sentence vector.
        margin: How much less probable the cheapest strategy may be than the best one.
        questions: Questions by set.
        labels: Questions by the cheapest strategy that answered rightly; "" where none did.
        training: Regularisation, chosen by cross-validation.
        validation: Cross-validated F1 and tokens, of the route and of the best strategy alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = FORMAT
    model: str
    embedding: str
    strategies: tuple[str, ...] = Field(min_length=1)
    tokens: dict[str, float]
    features: tuple[str, ...]
    margin: float = Field(ge=0, le=1)
    questions: dict[str, int]
    labels: dict[str, int]
    training: dict[str, float]
    validation: dict[str, Any]


@dataclass(frozen=True)
class RouteWeights:
    """A logistic regression for each of s strategies over d features.

    Attributes:
        center: [d], subtracted from the features.
        scale: [d], which they are then divided by.
        weights: [s, d].
        biases: [s].
        temperatures: [s], which the logits are divided by (Guo et al. 2017, section 4.2).
    """

    center: Floats
    scale: Floats
    weights: Floats
    biases: Floats
    temperatures: Floats

    def logits(self, features: Floats) -> Floats:
        """Logits before the temperature: [n, s] of features [n, d]."""
        found: Floats = (features - self.center) / self.scale @ self.weights.T + self.biases
        return found

    def probabilities(self, features: Floats) -> Floats:
        """P(right) of each strategy: [n, s] of features [n, d]."""
        found: Floats = (1 + np.tanh(self.logits(features) / self.temperatures / 2)) / 2
        return found


@dataclass(frozen=True)
class Choice:
    """The route's choice.

    Attributes:
        strategy: The one to take.
        probability: That it answers rightly, calibrated.
        reason: Why, as part of a sentence.
    """

    strategy: str
    probability: float
    reason: str


@dataclass(frozen=True)
class StrategyRoute:
    """A trained route, safe to use from any thread."""

    manifest: RouteManifest
    weights: RouteWeights

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Load a route from its folder.

        Raises:
            RouteUnavailableError: A file of it is missing or damaged.
        """
        manifest = _read_manifest(folder)
        try:
            with np.load(folder / WEIGHTS_FILE, allow_pickle=False) as arrays:
                weights = RouteWeights(**{name: arrays[name] for name in _SHAPES})
        except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
            raise _damaged(folder, f"{WEIGHTS_FILE}: {error}") from error
        _check_shapes(folder, manifest, weights)
        return cls(manifest, weights)

    def save(self, folder: Path) -> None:
        """Write JSON and plain arrays; the manifest last, which makes the folder a route."""
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f"new-{WEIGHTS_FILE}"
        arrays = {name: getattr(self.weights, name) for name in _SHAPES}
        np.savez(temporary, **arrays)
        temporary.replace(folder / WEIGHTS_FILE)
        write_file(folder / ROUTE_FILE, self.manifest.model_dump_json(indent=1).encode() + b"\n")

    def probabilities(self, features: Features) -> dict[str, float]:
        """P(right) of each strategy."""
        [row] = self.weights.probabilities(feature_matrix([features]))
        return dict(zip(self.manifest.strategies, row.tolist(), strict=True))

    def choose(self, features: Features, offered: Collection[str]) -> Choice | None:
        """Choose a strategy among those offered; None if the route knows none of them."""
        known = {
            name: value for name, value in self.probabilities(features).items() if name in offered
        }
        if not known:
            return None
        chosen = cheapest_within(known, self.manifest.tokens, self.manifest.margin)
        shown = ", ".join(f"{name} {value:.2f}" for name, value in known.items())
        reason = f"P(right): {shown}; the cheapest within {self.manifest.margin:.2f} of the best"
        return Choice(chosen, known[chosen], reason)


_SHAPES: Final = {
    "center": "d",
    "scale": "d",
    "weights": "sd",
    "biases": "s",
    "temperatures": "s",
}


def cheapest_within(
    probabilities: Mapping[str, float], tokens: Mapping[str, float], margin: float
) -> str:
    """The cheapest strategy whose probability is at most `margin` below the highest one.

    Args:
        probabilities: P(right) of each strategy, at least one.
        tokens: The cost of each strategy. At equal cost, the probability decides.
        margin: 0 takes the most probable one, 1 the cheapest.
    """
    least = max(probabilities.values()) - margin
    good = [name for name, value in probabilities.items() if value >= least]
    return min(good, key=lambda name: (tokens[name], -probabilities[name], name))


def lasting_route(name: str) -> str:
    """The setting `route` with an absolute path, valid from every working directory."""
    return name if name in {AUTO, MODEL} else str(Path(name).absolute())


def find_route(name: str) -> tuple[Path, int]:
    """The folder of a trained route, and when its manifest was last written (ns).

    Raises:
        RouteUnavailableError: It does not exist.
    """
    manifest = Path(name) / ROUTE_FILE
    if not name or not manifest.is_file():
        raise RouteUnavailableError(
            f"The route {name!r} does not exist; name the folder of a trained route, or use "
            "--set route=auto."
        )
    return Path(name), manifest.stat().st_mtime_ns


def _read_manifest(folder: Path) -> RouteManifest:
    path, _ = find_route(str(folder))
    try:
        manifest = RouteManifest.model_validate_json((path / ROUTE_FILE).read_bytes())
    except (OSError, ValidationError) as error:
        reason = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error.strerror
        raise _damaged(folder, f"{ROUTE_FILE}: {reason}") from error
    if manifest.format != FORMAT or manifest.features != NAMED:
        raise RouteUnavailableError(
            f"The route in {str(folder)!r} belongs to another version of Hopyard; train it again, "
            "or use --set route=auto."
        )
    if missing := set(manifest.strategies) - set(manifest.tokens):
        raise _damaged(folder, f"{ROUTE_FILE} has no tokens of {min(missing)}")
    return manifest


def _check_shapes(folder: Path, manifest: RouteManifest, weights: RouteWeights) -> None:
    sizes = {"s": len(manifest.strategies), "d": weights.center.size}
    for name, axes in _SHAPES.items():
        array = getattr(weights, name)
        fits = array.shape == tuple(sizes[axis] for axis in axes)
        if not fits or array.dtype != np.float64 or not np.isfinite(array).all():
            raise _damaged(folder, f"{WEIGHTS_FILE}: {name} is not usable")


def _damaged(folder: Path, reason: str) -> RouteUnavailableError:
    return RouteUnavailableError(
        f"The route in {str(folder)!r} is damaged ({reason}); train it again, or use "
        "--set route=auto."
    )
