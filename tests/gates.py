"""A gate for tests: a head of zeros, so that every question has the same probability."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hopyard.classifiers.manifest import GateManifest, write_manifest


def write_gate(
    folder: Path,
    logit: float,
    *,
    model: str = "m",
    threshold: float = 0.3,
    nearness: dict[str, tuple[float, float]] | None = None,
) -> Path:
    """Write a gate of a constant logit, but for the weights of the nearness."""
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "head.npy", np.zeros(384, dtype=np.float32))
    (folder / "words.json").write_text("{}")
    manifest = GateManifest(
        network="vector",
        base="builtin:e5",
        parameters=385,
        model=model,
        value="token-probability",
        embedding="builtin:e5",
        bias=logit,
        score=1.0,
        nearness=nearness or {},
        threshold=threshold,
        cost_ratio=3.0,
        labels={"retrieve": 8, "no retrieval": 8},
        sources={},
        rules={},
        dropped={},
        training={},
        validation={},
    )
    write_manifest(folder, manifest)
    return folder
