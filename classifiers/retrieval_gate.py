"""A trained gate: a question in, the calibrated probability that it needs retrieval out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Protocol, Self

from hopyard.classifiers.manifest import MANIFEST_FILE, GateManifest, read_manifest
from hopyard.classifiers.vector_head import Embed, VectorHead
from hopyard.measures.nearness import UNMEASURED, Nearness
from hopyard.models.embedder import Vector
from hopyard.state.errors import GateUnavailableError
from hopyard.state.settings.fields import AUTO, GateSettings, Profile

OFF: Final = "off"
_FOLDER: Final = Path(__file__).parent / "gate"
SHIPPED: Final[tuple[Profile, ...]] = ("builtin", "capable")
"""The gates that come with Hopyard, by the profile of the model that they are for."""


def shipped_gate(profile: Profile) -> str:
    """The gate for the models of a profile. Small models know little more than the built-in one."""
    return profile if profile in SHIPPED else "builtin"


EmbedWith = Callable[[str, str], Vector]
"""Embeds a question [d] with the embedding model of a name."""


@dataclass(frozen=True)
class Decision:
    """The gate's decision on a question.

    Attributes:
        probability: That it needs retrieval, calibrated, 0 to 1.
        reason: Why, as part of a sentence.
    """

    probability: float
    retrieve: bool
    reason: str


class Scorer(Protocol):
    """Scores questions. Any thread may use it."""

    def scores(self, questions: Sequence[str]) -> list[float]:
        """Raw scores [n]; `GateManifest` says how they become probabilities."""


class RetrievalGate:
    """A question's score and the corpus's nearness, as a calibrated probability."""

    def __init__(self, scorer: Scorer, manifest: GateManifest) -> None:
        """Put a gate together; see `load`."""
        self.manifest = manifest
        self.scorer = scorer

    @classmethod
    def load(cls, folder: Path, embed: EmbedWith) -> Self:
        """Load a gate from its folder.

        Args:
            embed: Embeds questions, if the gate reads their vectors.
        """
        manifest = read_manifest(folder)
        with_model = partial(_embed, embed, manifest.base)
        return cls(_load_scorer(folder, manifest.network, with_model), manifest)

    def probability(self, question: str, nearness: Nearness = UNMEASURED) -> float:
        """The calibrated probability that a question needs retrieval, 0 to 1.

        Args:
            nearness: Of the index; what is missing counts as in the mean question of the training.
        """
        [score] = self.scorer.scores([question])
        return self.manifest.probability(score, nearness)

    def decide(
        self, question: str, settings: GateSettings, nearness: Nearness = UNMEASURED
    ) -> Decision:
        """Whether to retrieve for a question."""
        return decide(self.probability(question, nearness), self.manifest.threshold, settings)


def _load_scorer(folder: Path, kind: str, embed: Embed) -> Scorer:
    try:
        if kind == "vector":
            return VectorHead.load(folder, embed)
        from hopyard.classifiers.t5 import T5Scorer

        return T5Scorer.load(folder)
    except GateUnavailableError:
        raise
    except Exception as error:  # tokenizers raises `Exception` itself
        raise GateUnavailableError(
            f"The gate in {str(folder)!r} cannot be loaded ({str(error).splitlines()[0]}); "
            "train it again with `hopyard gate train`, or use --gate off."
        ) from error


def _embed(embed: EmbedWith, model: str, question: str) -> Vector:
    return embed(question, model)


def decide(probability: float, threshold: float, settings: GateSettings) -> Decision:
    """The decision of a probability: below the lower bound no document is needed, else retrieve.

    Args:
        probability: That the question needs retrieval, 0 to 1.
        threshold: The gate's own. It is the lower bound where the settings give none, unless it is
            above the upper one: an unsure gate retrieves, whatever threshold it was trained with.
        settings: Between its two bounds the gate is unsure, and retrieves.
    """
    low = settings.unsure_from
    if low is None:
        low = min(threshold, settings.unsure_to)
    p = f"p={probability:.2f}"
    if probability < low:
        return Decision(probability, False, f"{p} is below {low:.2f}: no document is needed")
    if probability <= settings.unsure_to:
        bounds = f"{low:.2f} to {settings.unsure_to:.2f}"
        return Decision(probability, True, f"{p} is unsure ({bounds}), and so it retrieves")
    return Decision(probability, True, f"{p} is above {max(low, settings.unsure_to):.2f}")


def gate_folder(name: str) -> Path:
    """The folder of a gate, which may not exist.

    Args:
        name: One that comes with Hopyard, by the profile that it is for, or a folder.
    """
    return _FOLDER / name if name in SHIPPED else Path(name)


def lasting_name(name: str) -> str:
    """The name of a gate with an absolute path, valid from every working directory."""
    return name if name in {OFF, AUTO, *SHIPPED} else str(Path(name).absolute())


def find_gate(name: str) -> tuple[Path, int]:
    """The folder of a gate, and when its manifest was last written (ns).

    Args:
        name: One that comes with Hopyard, by the profile that it is for, or a folder.

    Raises:
        GateUnavailableError: It does not exist.
    """
    folder = gate_folder(name)
    manifest = folder / MANIFEST_FILE
    if not name or not manifest.is_file():
        raise GateUnavailableError(
            f"The gate {name!r} does not exist: name {', '.join((AUTO, *SHIPPED))}, or a folder "
            "that `hopyard gate train` wrote, or use --gate off."
        )
    return folder, manifest.stat().st_mtime_ns
