"""How a gate is trained."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, Field

__all__ = ("VECTOR", "Progress", "TrainSettings")

VECTOR = "vector"
"""A head over the sentence vector of the built-in embedding model."""
Progress = Callable[[str, int, int], None]


class TrainSettings(BaseModel):
    """How a gate is trained. The T5's defaults are the paper's for a T5 by name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base: str = VECTOR
    cost_ratio: float = Field(3.0, gt=0)
    """The cost of a wrong answer, in needless retrievals."""
    seed: int = Field(7, ge=0)
    rate: float = Field(0, ge=0)
    """0 takes the paper's 5e-5, and 1e-4 for a small T5 with random layers."""
    epochs: int = Field(60, ge=1)
    patience: int = Field(8, ge=1)
    """Epochs without a better validation loss before the training of a T5 ends."""
    batch: int = Field(32, ge=1)
    dropout: float = Field(0.1, ge=0, lt=1)
    validation: float = Field(0.25, gt=0, lt=1)
    """Share of each class that a T5 does not train on: early stopping and probabilities."""
    vocabulary: int = Field(4096, ge=64)
    width: int = Field(192, ge=32, multiple_of=32)
    layers: int = Field(3, ge=1)
