"""Cross-encoders: models that read a question and a passage together and score the pair."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hopyard.models.concurrency import LOADING
from hopyard.models.servers.advice import first_line
from hopyard.state.errors import ModelUnreachableError
from hopyard.state.extras import require

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_HUB_SECONDS: Final = 10.0
"""How long to wait for Hugging Face."""


class PairScorer:
    """A cross-encoder, loaded on first use. Any thread may use it.

    Args:
        name: A sentence-transformers cross-encoder: its name on Hugging Face, or a folder.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._alone = threading.Lock()  # the model uses all processors for one batch
        self._model: CrossEncoder | None = None
        self._problem = ""

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """How well each text answers the question; higher is better, the scale is the model's own.

        Raises:
            ModelUnreachableError: The model is not on this machine and cannot be downloaded, or
                the extra `rerank` is not installed. If the hub did not answer once, it is not
                asked again.
        """
        if not texts:
            return []
        with self._alone:
            if self._model is None and not self._problem:
                self._load()
            if self._model is None:
                raise ModelUnreachableError(self._problem)
            pairs = [(question, text) for text in texts]
            scores = self._model.predict(pairs, show_progress_bar=False)
        return [float(score) for score in scores]

    def _load(self) -> None:
        require("Reranking with a cross-encoder", "rerank", ModelUnreachableError)
        try:
            from sentence_transformers import CrossEncoder

            _look_for(self._name)
            with LOADING:
                self._model = CrossEncoder(self._name)
        except Exception as error:  # no hub, no such model, a broken folder: many classes
            self._problem = (
                f"The cross-encoder {self._name!r} cannot be loaded ({first_line(error)}); set its "
                "folder with --set rerank.model=DIR, or use --set rerank.model=chat."
            )


def _look_for(name: str) -> None:
    """Ask the hub once for a model that is not on this machine: loading retries for a minute."""
    from huggingface_hub import HfApi, try_to_load_from_cache

    if Path(name).is_dir() or isinstance(try_to_load_from_cache(name, "config.json"), str):
        return
    HfApi().model_info(name, timeout=_HUB_SECONDS)
