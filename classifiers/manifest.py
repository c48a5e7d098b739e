"""A gate's manifest: `gate.json` in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from hopyard.state.atomic import write_file
from hopyard.state.errors import GateUnavailableError

__all__ = ("MANIFEST_FILE", "TOKENIZER_FILE", "GateManifest", "read_manifest", "write_manifest")

MANIFEST_FILE: Final = "gate.json"
TOKENIZER_FILE: Final = "tokenizer.json"
FORMAT: Final = 1


class GateManifest(BaseModel):
    """How a gate was trained, and how its logit becomes a decision.

    Attributes:
        format: Of this file.
        base: The T5 that the training started from.
        parameters: Of the classifier.
        model: The labelled model; for another model the gate may be wrong.
        value: The value function of the labels.
        prior_shift: Log of the ratio of the class weights, subtracted from the logit: the weights
            moved the share of class 1.
        temperature: The shifted logit is divided by it.
        threshold: The lowest probability at which the gate retrieves.
        cost_ratio: The cost of a wrong answer in needless retrievals, which chose the threshold.
        labels: Labelled questions by split and class.
        sources: Labelled questions by type and class.
        rules: Labelled questions by rule and class.
        dropped: Dropped questions by reason.
        training: Settings, losses and times.
        validation: Measures on the split that chose temperature and threshold.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: int = FORMAT
    base: str
    parameters: int
    model: str
    value: str
    prior_shift: float
    temperature: float = Field(gt=0)
    threshold: float = Field(ge=0, le=1)
    cost_ratio: float = Field(gt=0)
    labels: dict[str, dict[str, int]]
    sources: dict[str, dict[str, int]]
    rules: dict[str, dict[str, int]]
    dropped: dict[str, int]
    training: dict[str, Any]
    validation: dict[str, float]


def read_manifest(folder: Path) -> GateManifest:
    """Read the manifest of a gate.

    Raises:
        GateUnavailableError: It is missing, damaged, or of another version.
    """
    try:
        found = GateManifest.model_validate_json((folder / MANIFEST_FILE).read_bytes())
    except OSError as error:
        raise GateUnavailableError(
            f"There is no gate in {str(folder)!r} ({error.strerror}); train one with "
            "`hopyard gate train`, or use --gate off."
        ) from error
    except ValidationError as error:
        raise GateUnavailableError(
            f"The gate in {str(folder)!r} is damaged ({error.errors()[0]['msg']}); train it again "
            "with `hopyard gate train`, or use --gate off."
        ) from error
    if found.format != FORMAT:
        raise GateUnavailableError(
            f"The gate in {str(folder)!r} has format {found.format}, and this version reads "
            f"{FORMAT}; train it again with `hopyard gate train`, or use --gate off."
        )
    return found


def write_manifest(folder: Path, manifest: GateManifest) -> None:
    """Write the manifest."""
    write_file(folder / MANIFEST_FILE, (manifest.model_dump_json(indent=1) + "\n").encode())
