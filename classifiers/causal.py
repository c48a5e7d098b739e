"""A causal language model in PyTorch, for the probabilities of an answer's tokens."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from hopyard.models.builtin.chat import builtin_identity, engine_file
from hopyard.models.chat import chat_provider
from hopyard.models.names import name_from_user
from hopyard.models.servers.advice import first_line
from hopyard.state.errors import HopyardError, ModelUnreachableError, UsageError
from hopyard.state.extras import require


@dataclass(frozen=True)
class Causal:
    """A model with its tokenizer.

    Attributes:
        identity: The name that labels carry; for the built-in model its name in the ledger.
        model: A `transformers` model for causal language modelling, in evaluation mode.
        tokenizer: Its fast tokenizer, with a chat template.
    """

    identity: str
    model: Any
    tokenizer: Any


def load_causal(spec: str) -> Causal:
    """Load a model that gives token probabilities.

    Args:
        spec: `builtin`, `builtin:base`, `builtin:FILE.gguf`, a folder, or a name on the hub.

    Raises:
        UsageError: The model is behind a server, which gives no probabilities of a text that it
            did not write.
        ModelUnreachableError: The weights cannot be loaded.
        HopyardError: The tokenizer has no chat template.
    """
    provider, _, variant = name_from_user(spec).partition(":")
    if provider == "builtin":
        return _load_builtin(spec, variant)
    if not Path(spec).is_dir() and _is_chat_model(spec):
        raise UsageError(
            f"The model {spec!r} gives no token probabilities, which the value function "
            "token-probability needs; use --value answer-f1, or name a folder or hub model."
        )
    return _require_template(Causal(spec, *_load(spec, {})))


def _is_chat_model(spec: str) -> bool:
    try:
        chat_provider(spec)
    except UsageError:  # no provider: a folder, or a name on the hub
        return ":" in spec
    return True


def _load_builtin(spec: str, variant: str) -> Causal:
    require(f"Reading the weights of {spec!r} into PyTorch", "gate")
    file = engine_file(variant)
    loaded = _load(str(file.parent), {"gguf_file": file.name})
    return _require_template(Causal(builtin_identity(variant), *loaded))


def _load(place: str, options: dict[str, str]) -> tuple[Any, Any]:
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    cast(Any, logging).disable_progress_bar()
    try:
        tokenizer = AutoTokenizer.from_pretrained(place, **options)
        model: Any = AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32, **options)
    except (OSError, ValueError, ImportError) as error:
        raise ModelUnreachableError(
            f"The model {place!r} cannot be loaded ({first_line(error)}); use builtin, a folder "
            "that transformers reads, or a model of a hub that is reachable."
        ) from error
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return model.to(device).eval(), tokenizer


def _require_template(causal: Causal) -> Causal:
    if not getattr(causal.tokenizer, "chat_template", None):
        raise HopyardError(
            f"The tokenizer of {causal.identity!r} has no chat template; use an "
            "instruction-tuned model."
        )
    return causal
