"""A causal language model in PyTorch, for the probabilities of an answer's tokens."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast

from hopyard.models.builtin import adapter_file, embedded_identity, weights
from hopyard.models.chat import chat_provider
from hopyard.models.failures import first_line
from hopyard.state.errors import HopyardError, ModelUnreachableError, UsageError

__all__ = ("Causal", "Precision", "load_causal", "merge_adapter")

Precision = Literal["float32", "bfloat16"]

_DOWN: Final = ".lora_A.weight"
_UP: Final = ".lora_B.weight"


@dataclass(frozen=True)
class Causal:
    """A model with its tokenizer.

    Attributes:
        identity: The name that labels made with it carry; for the embedded model the one under
            which the ledger keeps its answers.
        model: A `transformers` model for causal language modelling, in evaluation mode.
        tokenizer: Its fast tokenizer, with a chat template.
    """

    identity: str
    model: Any
    tokenizer: Any


def load_causal(spec: str, precision: Precision = "float32") -> Causal:
    """Load a model that gives token probabilities.

    Args:
        spec: `embedded`, `embedded:base`, `embedded:FILE.gguf`, a folder, or a name on the hub.
        precision: Of weights and arithmetic; sums of probabilities are taken in float32.

    Raises:
        UsageError: The model speaks through a server, which gives no token probabilities of a
            text that it did not write.
        ModelUnreachableError: The weights cannot be loaded.
        HopyardError: The tokenizer has no chat template.
    """
    provider, _, variant = spec.partition(":")
    if provider == "embedded":
        return _load_embedded(spec, variant, precision)
    if not Path(spec).is_dir() and _is_chat_model(spec):
        raise UsageError(
            f"The model {spec!r} gives no token probabilities, which the value function "
            "token-probability needs; use --value answer-f1, or name a folder or hub model."
        )
    return _checked(Causal(spec, *_loaded(spec, {}, precision)))


def _is_chat_model(spec: str) -> bool:
    try:
        chat_provider(spec)
    except UsageError:  # no provider: a folder, or a name on the hub
        return ":" in spec
    return True


def _load_embedded(spec: str, variant: str, precision: Precision) -> Causal:
    if importlib.util.find_spec("accelerate") is None:
        raise UsageError(
            f"To read the weights of {spec!r} into PyTorch the package accelerate is missing; run "
            "`pip install 'hopyard[gate]'`."
        )
    identity, adapter, file = embedded_identity(variant), adapter_file(variant), weights()
    model, tokenizer = _loaded(str(file.parent), {"gguf_file": file.name}, "float32")
    if adapter is not None:
        merge_adapter(model, adapter)
    return _checked(Causal(identity, _cast(model, precision), tokenizer))


def _loaded(place: str, options: dict[str, str], precision: Precision) -> tuple[Any, Any]:
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
            f"The model {place!r} cannot be loaded ({first_line(error)}); name embedded, a folder "
            "that transformers reads, or a model of a hub that is reachable."
        ) from error
    device = "cuda" if torch.cuda.is_available() else "cpu"
    return _cast(model.to(device).eval(), precision), tokenizer


def _cast(model: Any, precision: Precision) -> Any:
    import torch

    return model.to(getattr(torch, precision))


def _checked(causal: Causal) -> Causal:
    if not getattr(causal.tokenizer, "chat_template", None):
        raise HopyardError(
            f"The tokenizer of {causal.identity!r} has no chat template, so its prompts cannot be "
            "written; use an instruction-tuned model."
        )
    return causal


def merge_adapter(model: Any, file: Path) -> None:
    """Add a llama.cpp LoRA to the weights: W + alpha / rank · B·A.

    llama.cpp keeps the rows of query and key projections in another order than Hugging Face; the
    rows of B are put back (`models.lora_file.read_gguf`).

    Args:
        model: A `transformers` Llama model in float32; changed in place.
        file: The adapter as GGUF.

    Raises:
        HopyardError: The adapter does not fit the model.
    """
    import torch

    from hopyard.models.lora_file import heads_of, read_gguf

    try:
        matrices, alpha = read_gguf(file, heads_of(model.config))
    except ValueError as error:
        raise HopyardError(f"The adapter cannot be used: {error}; train it anew.") from error
    for name, down in matrices.items():
        if not name.endswith(_DOWN):
            continue
        up = matrices[name.removesuffix(_DOWN) + _UP]
        path = name.removeprefix("base_model.model.").removesuffix(_DOWN)
        weight = model.get_submodule(path).weight
        change = torch.from_numpy(up @ down) * (alpha / down.shape[0])
        if change.shape != weight.shape:
            raise HopyardError(
                f"The adapter {file.name} does not fit the model: {path} is "
                f"{tuple(weight.shape)}, the adapter's change {tuple(change.shape)}; train it anew."
            )
        weight.data += change.to(weight.device)
