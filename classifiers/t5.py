"""The gate's network: a T5 by name, or a small T5 with its own tokenizer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from hopyard.models.failures import first_line
from hopyard.state.errors import ModelUnreachableError

__all__ = ("SCRATCH", "Network", "load_network", "make_network")

SCRATCH: Final = "scratch"
"""A small T5 with random weights."""
_PAD, _END, _UNKNOWN = "<pad>", "</s>", "<unk>"
VOCABULARY: Final = 4096
WIDTH: Final = 192
LAYERS: Final = 3


class Network(NamedTuple):
    """A classifier with one logit, and its tokenizer.

    Attributes:
        model: A `T5ForSequenceClassification`.
        tokenizer: A `tokenizers.Tokenizer` that ends every text with the end token.
    """

    model: Any
    tokenizer: Any


def load_network(name: str, dropout: float) -> Network:
    """Load a pretrained T5, as `google-t5/t5-small` (60M, the paper's).

    Args:
        name: On the hub, or a folder.
        dropout: Of all layers and of the classifier.

    Raises:
        ModelUnreachableError: It cannot be loaded.
    """
    import torch
    from transformers import AutoTokenizer, T5ForSequenceClassification

    try:
        tokenizer = AutoTokenizer.from_pretrained(name).backend_tokenizer
        model = T5ForSequenceClassification.from_pretrained(
            name,
            dtype=torch.float32,
            num_labels=1,
            dropout_rate=dropout,
            classifier_dropout=dropout,
        )
    except (OSError, ValueError, ImportError) as error:
        raise ModelUnreachableError(
            f"The T5 {name!r} cannot be loaded ({first_line(error)}); name a folder, or use "
            f"--base {SCRATCH}."
        ) from error
    return Network(model, tokenizer)


def make_network(
    texts: Iterable[str],
    *,
    dropout: float,
    seed: int,
    vocabulary: int = VOCABULARY,
    width: int = WIDTH,
    layers: int = LAYERS,
) -> Network:
    """Make a small T5 with random weights and a vocabulary from texts.

    Args:
        texts: Questions and passages of the training split.
        dropout: Of all layers and of the classifier.
        seed: Of the weights.
        vocabulary: Pieces at most.
        width: Of the states; heads are 32 wide.
        layers: Of the encoder; the decoder writes one state and has one layer.
    """
    import torch
    from transformers import T5Config, T5ForSequenceClassification

    tokenizer = _train_tokenizer(texts, vocabulary)
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
        "num_labels": 1,
        "pad_token_id": tokenizer.token_to_id(_PAD),
        "eos_token_id": tokenizer.token_to_id(_END),
        "decoder_start_token_id": tokenizer.token_to_id(_PAD),
    }
    config = T5Config(**settings)
    return Network(T5ForSequenceClassification(config), tokenizer)


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
