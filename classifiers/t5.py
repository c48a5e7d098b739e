"""The gate's network: a T5 by name, or a small T5 with random weights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from hopyard.classifiers.word_pieces import END as PIECES_END
from hopyard.classifiers.word_pieces import PAD as PIECES_PAD
from hopyard.classifiers.word_pieces import minilm_rows, minilm_tokenizer
from hopyard.models.servers.failures import first_line
from hopyard.state.errors import ModelUnreachableError

__all__ = ("MINILM", "SCRATCH", "SMALL", "Network", "load_network", "make_network")

SCRATCH: Final = "scratch"
"""A small T5 with random weights."""
MINILM: Final = "minilm"
"""The same T5, but its embedding matrix starts as MiniLM's word pieces, and it keeps MiniLM's
tokenizer."""
SMALL: Final = (SCRATCH, MINILM)
"""Bases that `make_network` makes."""
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
        name: On the hub, or a folder, such as `lab.distil_t5` writes.
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
