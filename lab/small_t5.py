"""Small T5s of our own as bases of a gate: random weights, or MiniLM's word pieces.

`save_base` writes a folder for `hopyard gate train --base FOLDER`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from hopyard.classifiers.t5 import Network
from hopyard.models.builtin.minilm import MiniLMEmbedder
from hopyard.models.embedder import Vectors

__all__ = (
    "MINILM",
    "SCRATCH",
    "make_network",
    "minilm_rows",
    "minilm_tokenizer",
    "project",
    "save_base",
)

SCRATCH: Final = "scratch"
"""A small T5 with random weights."""
MINILM: Final = "minilm"
"""The same T5, but its embedding matrix starts as MiniLM's word pieces, and it keeps MiniLM's
tokenizer."""
VOCABULARY: Final = 4096
WIDTH: Final = 192
LAYERS: Final = 3
PIECES_PAD: Final = "[PAD]"
PIECES_END: Final = "[SEP]"
_OUTPUT: Final = "classification_head.out_proj."
_PAD, _END, _UNKNOWN = "<pad>", "</s>", "<unk>"


def make_network(
    texts: Iterable[str],
    *,
    base: str = SCRATCH,
    dropout: float,
    seed: int,
    vocabulary: int = VOCABULARY,
    width: int = WIDTH,
    layers: int = LAYERS,
    outputs: int = 1,
) -> Network:
    """Make a small T5 with random weights.

    Args:
        texts: Questions and passages of the training split: `scratch` makes its vocabulary of them.
        base: `scratch`, or `minilm` for MiniLM's tokenizer and word-piece embeddings.
        dropout: Of all layers and of the classifier.
        seed: Of the weights.
        vocabulary: Pieces at most, with `scratch`.
        width: Of the states; heads are 32 wide.
        layers: Of the encoder; the decoder has one layer.
        outputs: Numbers that the classifier returns for a text.
    """
    import torch
    from transformers import T5Config, T5ForSequenceClassification

    if base == MINILM:
        tokenizer, pad, end = minilm_tokenizer(), PIECES_PAD, PIECES_END
    else:
        tokenizer, pad, end = _train_tokenizer(texts, vocabulary), _PAD, _END
    torch.manual_seed(seed)
    settings: dict[str, Any] = {
        "vocab_size": tokenizer.get_vocab_size(),
        "d_model": width,
        "d_kv": 32,
        "num_heads": width // 32,
        "d_ff": 2 * width,
        "num_layers": layers,
        "num_decoder_layers": 1,
        "feed_forward_proj": "gated-gelu",
        "dropout_rate": dropout,
        "classifier_dropout": dropout,
        "num_labels": outputs,
        "pad_token_id": tokenizer.token_to_id(pad),
        "eos_token_id": tokenizer.token_to_id(end),
        "decoder_start_token_id": tokenizer.token_to_id(pad),
    }
    model = T5ForSequenceClassification(T5Config(**settings))
    if base == MINILM:
        with torch.no_grad():
            model.transformer.shared.weight.copy_(torch.from_numpy(minilm_rows(width)))
    return Network(model, tokenizer)


def save_base(network: Network, folder: Path) -> None:
    """Write the network without its output layer, as `hopyard gate train --base` reads it."""
    from transformers import PreTrainedTokenizerFast

    kept = {
        name: value
        for name, value in network.model.state_dict().items()
        if not name.startswith(_OUTPUT)
    }
    network.tokenizer.no_padding()
    network.tokenizer.no_truncation()
    network.model.save_pretrained(folder, state_dict=kept)
    PreTrainedTokenizerFast(tokenizer_object=network.tokenizer).save_pretrained(folder)


def _train_tokenizer(texts: Iterable[str], vocabulary: int) -> Any:
    """Train a byte-pair tokenizer (Sennrich et al. 2016).

    T5 uses a unigram model, whose training in this library gives another vocabulary each time; a
    seed has to give the same gate.

    It removes case and a closing question mark: they tell question sets apart (Natural Questions
    are in lower case, without marks), not needs.
    """
    from tokenizers import (
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )

    tokenizer = Tokenizer(models.BPE(unk_token=_UNKNOWN))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKC(),
            normalizers.Lowercase(),
            normalizers.Replace(Regex(r"[\s?.]+$"), ""),
            normalizers.Strip(),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.Metaspace()]
    )
    tokenizer.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[_PAD, _END, _UNKNOWN],
        min_frequency=2,
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {_END}", special_tokens=[(_END, tokenizer.token_to_id(_END))]
    )
    return tokenizer


@cache
def _minilm() -> MiniLMEmbedder:
    return MiniLMEmbedder()


def minilm_tokenizer() -> Any:
    """MiniLM's tokenizer, which ends a text with the end token and starts it with none.

    It removes a closing question mark, as the tokenizer of the small T5 does.
    """
    from tokenizers import Regex, normalizers, processors

    tokenizer = _minilm().tokenizer
    closing = normalizers.Replace(Regex(r"[\s?.]+$"), "")
    tokenizer.normalizer = normalizers.Sequence([closing, tokenizer.normalizer])
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {PIECES_END}", special_tokens=[(PIECES_END, tokenizer.token_to_id(PIECES_END))]
    )
    return tokenizer


def minilm_rows(width: int) -> Vectors:
    """MiniLM's word-piece embeddings at a width: [30,522, width]."""
    return project(_minilm().word_pieces, width)


def project(rows: Vectors, width: int) -> Vectors:
    """Rows on their first principal components, scaled to a mean square of 1.

    T5 starts from embeddings of variance 1 (Raffel et al. 2020); the components keep the angles
    between the centred rows as well as any linear map to that width can.

    Args:
        rows: [n, d].
        width: Components at most; with more than d, the rest are 0.

    Returns:
        [n, width].
    """
    centred = rows.astype(np.float64) - rows.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)  # [d, d], the largest component last
    components = centred @ axes[:, ::-1][:, :width]
    components = np.pad(components, ((0, 0), (0, width - components.shape[1])))
    return np.asarray(components / np.sqrt((components**2).mean()), dtype=np.float32)
