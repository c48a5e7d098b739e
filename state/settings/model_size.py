"""How large a model is: as its server says, or as its name does."""

from __future__ import annotations

import re
from typing import Final

SMALL: Final = 9.0
"""Billions of parameters below which a model is small: "8B" models have a little more than 8."""

_SIZE: Final = re.compile(r"(?<![a-z0-9.])(?:(\d+)x|e)?(\d+(?:\.\d+)?)(b|m)(?![a-z0-9])")
"""As in `llama3.2:3b`, `mixtral:8x7b`, `gemma3n:e4b`, `smollm2:135m`."""
_LEAST_MILLIONS: Final = 50
"""A smaller number with an m is a context length, as in `qwen2.5-7b-instruct-1m`."""
_THINKS: Final = re.compile(r"\br1\b|think|reason|qwq")
"""Models that write long thoughts have no room in the limits of small models."""
_told: Final[dict[str, float]] = {}


def remember_size(model: str, billions: float) -> None:
    """Keep what a model's server says of its size, for this process."""
    _told[model] = billions


def is_told(model: str) -> bool:
    """Whether the model's server has said how large it is."""
    return model in _told


def billions_of(model: str) -> float | None:
    """Billions of parameters, as the model's server said or as its name says; None if unknown.

    Args:
        model: The model as users name it, such as `ollama:qwen2.5:1.5b`.
    """
    if model in _told:
        return _told[model]
    return billions_in(model.partition(":")[2].partition("@")[0])


def billions_in(text: str) -> float | None:
    """Billions of parameters in a name, or in Ollama's words, such as `494.03M`; None if unsaid."""
    sizes = [
        float(number) * int(times or 1) / (1 if unit == "b" else 1000)
        for times, number, unit in _SIZE.findall(text.lower())
        if unit == "b" or float(number) >= _LEAST_MILLIONS
    ]
    return max(sizes, default=None)


def is_small(model: str) -> bool:
    """Whether a model has at most about eight billion parameters and writes no long thoughts."""
    size = billions_of(model)
    return size is not None and size < SMALL and _THINKS.search(model.lower()) is None
