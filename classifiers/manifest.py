"""A gate's manifest: `gate.json` in its folder."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, Field, ValidationError, field_validator

from hopyard.measures.nearness import Nearness
from hopyard.state.errors import GateUnavailableError
from hopyard.state.storage.atomic import write_file

MANIFEST_FILE: Final = "gate.json"
FORMAT: Final[Literal[2]] = 2
VECTOR: Final = "vector"
"""The base of a head over the sentence vector of the built-in embedding model."""


class TrainSettings(BaseModel, frozen=True, extra="forbid"):
    """How a gate is trained. Rate, epochs and validation are for a T5.

    Attributes:
        base: `vector`, or the name or folder of a T5.
        cost_ratio: The cost of a wrong answer, in needless retrievals.
        seed: Of the folds, or of a T5's training.
        rate: Learning rate; the default is Con-RAG's.
        epochs: At most.
        validation: Share of each class that a T5 does not train on: early stopping and
            probabilities.
    """

    base: str = VECTOR
    cost_ratio: float = Field(3.0, gt=0)
    seed: int = Field(7, ge=0)
    rate: float = Field(5e-5, gt=0)
    epochs: int = Field(60, ge=1)
    validation: float = Field(0.25, gt=0, lt=1)


class GateManifest(BaseModel, frozen=True, extra="forbid"):
    """How a gate was trained, and how a score becomes a probability and a decision.

    Attributes:
        format: Of this file.
        network: The scorer of a question: a head over its sentence vector, or a T5.
        base: The embedding model of the vectors, or the T5 that the training started from.
        parameters: Of the network that was trained.
        model: The labelled model; for another model the gate may be wrong.
        value: The value function of the labels.
        embedding: The embedding model of the labels' indexes. Cosines of another are not used.
        bias: The constant of the logit.
        score: The weight of the network's score.
        nearness: Weight and mean of each field of `Nearness`.
        threshold: The lowest probability at which the gate retrieves.
        cost_ratio: The cost of a wrong answer in needless retrievals, which gives the threshold.
        labels: Labelled questions by class.
        sources: Labelled questions by type and class.
        rules: Labelled questions by rule and class.
        dropped: Dropped questions by reason.
        training: Settings, losses and times.
        validation: Measures on questions that the fit of the probabilities did not see.
    """

    format: Literal[2] = FORMAT
    network: Literal["vector", "t5"]
    base: str
    parameters: int
    model: str
    value: str
    embedding: str
    bias: float
    score: float
    nearness: dict[str, tuple[float, float]]
    threshold: float = Field(ge=0, le=1)
    cost_ratio: float = Field(gt=0)
    labels: dict[str, int]
    sources: dict[str, dict[str, int]]
    rules: dict[str, dict[str, int]]
    dropped: dict[str, int]
    training: dict[str, Any]
    validation: dict[str, float]

    @field_validator("base", "embedding")
    @classmethod
    def _full_name(cls, name: str) -> str:
        """Gates that name the built-in embedding model without `:e5` were trained with MiniLM."""
        return "builtin:minilm" if name == "builtin" else name

    def probability(self, score: float, nearness: Nearness) -> float:
        """σ(bias + weight · score + Σ weight · (value − mean)), 0 to 1.

        Args:
            nearness: A value that is missing counts as the mean.
        """
        logit = self.bias + self.score * score
        for name, (weight, mean) in self.nearness.items():
            value = getattr(nearness, name)
            logit += 0.0 if value is None else weight * (value - mean)
        return (1 + math.tanh(logit / 2)) / 2


def read_manifest(folder: Path) -> GateManifest:
    """Read the manifest of a gate.

    Raises:
        GateUnavailableError: It is missing, damaged, or of another version.
    """
    try:
        return GateManifest.model_validate_json((folder / MANIFEST_FILE).read_bytes())
    except OSError as error:
        raise GateUnavailableError(
            f"There is no gate in {str(folder)!r} ({error.strerror}); train one with "
            "`hopyard gate train`, or use --gate off."
        ) from error
    except ValidationError as error:
        raise GateUnavailableError(
            f"The gate in {str(folder)!r} is damaged or of another version "
            f"({error.errors()[0]['msg']}); train it again with `hopyard gate train`, or use "
            "--gate off."
        ) from error


def write_manifest(folder: Path, manifest: GateManifest) -> None:
    """Write the manifest."""
    write_file(folder / MANIFEST_FILE, (manifest.model_dump_json(indent=1) + "\n").encode())
