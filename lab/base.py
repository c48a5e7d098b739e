"""Load the base model in PyTorch: the weights that the engine runs, or another model's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

from hopyard.models.builtin.lora import heads_of, read_gguf
from hopyard.models.builtin.weights import weights

__all__ = ("LORA_ALPHA", "LORA_RANK", "TARGETS", "load_base", "load_config", "with_adapter")

LORA_RANK: Final = 16
LORA_ALPHA: Final = 32
TARGETS: Final = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def load_base(name: str) -> tuple[Any, Any]:
    """Model and tokenizer.

    Args:
        name: `embedded`, a GGUF file, or a folder or name that transformers knows.
    """
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place, options = _place(name)
    tokenizer = AutoTokenizer.from_pretrained(place, **options)
    model = AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32, **options)
    return model, tokenizer


def load_config(name: str) -> Any:
    """The base model's configuration, without its weights."""
    from transformers import AutoConfig

    place, options = _place(name)
    return AutoConfig.from_pretrained(place, **options)


def _place(name: str) -> tuple[str, dict[str, str]]:
    """Where transformers finds the model, and which file it is there."""
    file = weights() if name == "embedded" else Path(name)
    return (str(file.parent), {"gguf_file": file.name}) if file.suffix == ".gguf" else (name, {})


def with_adapter(model: Any, seed: int, start: str = "") -> Any:
    """The model with an adapter: rank 16 on all seven projections of every layer.

    Args:
        model: The base.
        seed: Of a fresh adapter.
        start: The folder or the GGUF file of an adapter to train further; "" makes a fresh one.
    """
    import torch
    from peft import (
        LoraConfig,
        PeftModel,
        get_peft_model,
        set_peft_model_state_dict,
    )

    torch.manual_seed(seed)
    if start and not start.endswith(".gguf"):
        return PeftModel.from_pretrained(model, start, is_trainable=True)
    alpha: Any  # PEFT writes int, and takes a float too
    read, alpha = read_gguf(Path(start), heads_of(model.config)) if start else ({}, LORA_ALPHA)
    ranks = {matrix.shape[0] for name, matrix in read.items() if "lora_A" in name} or {LORA_RANK}
    adapted = get_peft_model(
        model,
        LoraConfig(
            r=max(ranks),
            lora_alpha=alpha,
            lora_dropout=0.0,
            target_modules=list(TARGETS),
            task_type="CAUSAL_LM",
        ),
    )
    if read:
        tensors = {name: torch.from_numpy(matrix) for name, matrix in read.items()}
        set_peft_model_state_dict(adapted, tensors)
    return adapted
