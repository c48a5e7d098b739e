"""A gate for tests: a tiny T5 whose logit is the same for every question, written to a folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ("write_gate",)


def write_gate(folder: Path, logit: float, *, model: str = "m", threshold: float = 0.3) -> Path:
    """Write a gate of a constant logit, with a shift of 0.5 and a temperature of 2."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import T5Config, T5ForSequenceClassification
    from transformers.utils import logging

    logging.disable_progress_bar()
    vocabulary = {"<pad>": 0, "</s>": 1, "<unk>": 2}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))  # noqa: S106
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 1)]
    )
    config = T5Config(
        vocab_size=3,
        d_model=8,
        d_kv=4,
        num_heads=2,
        d_ff=8,
        num_layers=1,
        num_labels=1,
        decoder_start_token_id=0,
    )
    network = T5ForSequenceClassification(config)
    last = network.classification_head.out_proj
    with torch.no_grad():
        last.weight.zero_()
        last.bias.fill_(logit)
    folder.mkdir(parents=True, exist_ok=True)
    network.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(tokenizer.to_str())
    manifest: dict[str, Any] = {
        "format": 1,
        "base": "scratch",
        "parameters": 1000,
        "model": model,
        "value": "token-probability",
        "prior_shift": 0.5,
        "temperature": 2.0,
        "threshold": threshold,
        "cost_ratio": 3.0,
        "labels": {
            "train": {"retrieve": 8, "no retrieval": 8},
            "validation": {"retrieve": 2, "no retrieval": 2},
        },
        "sources": {},
        "rules": {},
        "dropped": {},
        "training": {},
        "validation": {},
    }
    (folder / "gate.json").write_text(json.dumps(manifest))
    return folder
