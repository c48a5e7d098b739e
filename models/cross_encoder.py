"""Cross-encoders: models that read question and passage together and score the pair."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hopyard.models.failures import first_line
from hopyard.models.loading import LOADING
from hopyard.state.errors import ModelUnreachableError

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

__all__ = ("cross_scores",)

_one_at_a_time: Final = threading.Lock()
"""The model is loaded once, and uses all processors for one batch."""

_HUB_SECONDS: Final = 10.0
"""How long Hugging Face is waited for."""


def cross_scores(name: str, question: str, texts: Sequence[str]) -> list[float]:
    """How well each text answers the question; higher is better, the scale is the model's own.

    Args:
        name: A sentence-transformers cross-encoder: its name on Hugging Face, or a folder.
        question: The question.
        texts: n passages.

    Returns:
        n scores.

    Raises:
        ModelUnreachableError: The model is not there and cannot be fetched.
    """
    if not texts:
        return []
    with _one_at_a_time:
        model = _loaded(name)
        if isinstance(model, str):
            raise ModelUnreachableError(model)
        scores = model.predict([(question, text) for text in texts], show_progress_bar=False)
    return [float(score) for score in scores]


@lru_cache(maxsize=4)
def _loaded(name: str) -> CrossEncoder | str:
    """The model, or why it is not there: a hub that does not answer is not asked twice."""
    from sentence_transformers import CrossEncoder

    try:
        _look_for(name)
        with LOADING:
            model: CrossEncoder = CrossEncoder(name)
        return model
    except Exception as error:  # no hub, no such model, a broken folder: each library has its own
        return (
            f"The cross-encoder {name!r} cannot be loaded ({first_line(error)}); give a folder "
            "that holds it with --set rerank.model=DIR, or take --set rerank.model=chat."
        )


def _look_for(name: str) -> None:
    """Ask the hub once for a model that is not on this machine: loading would try for a minute."""
    from huggingface_hub import HfApi, try_to_load_from_cache

    if Path(name).is_dir() or isinstance(try_to_load_from_cache(name, "config.json"), str):
        return
    HfApi().model_info(name, timeout=_HUB_SECONDS)
