"""A tiny causal model with a byte tokenizer, a tiny gate, and labels by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hopyard.classifiers.causal import Causal
from hopyard.classifiers.labels import Label

TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}</s>\n{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
END = "</s>"
GREETED = ("Anna", "Ben", "Carla", "David", "Eva", "Frank", "Greta", "Hans", "Ida", "Jonas")


def byte_tokenizer() -> Any:
    """One token a byte."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {"</s>": 0, **{letter: place for place, letter in enumerate(letters, 1)}}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token=END, chat_template=TEMPLATE
    )


def tiny_llama() -> Any:
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=260,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=4096,
        initializer_range=0.3,  # so that prompts make a difference
    )
    return LlamaForCausalLM(config).eval()


@pytest.fixture(scope="session")
def causal() -> Causal:
    return Causal("tiny", tiny_llama(), byte_tokenizer())


@pytest.fixture(scope="session")
def causal_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("causal")
    tiny_llama().save_pretrained(folder)
    byte_tokenizer().save_pretrained(folder)
    return folder


def label(number: int, question: str, value: int | None, **more: Any) -> Label:
    given: dict[str, Any] = {"model": "m", "value": "answer-f1", "k": 5, **more}
    return Label(
        id=f"q{number}",
        question=question,
        answers=("a",),
        rule="contribution" if value is not None else "",
        label=value,  # type: ignore[arg-type]
        **given,
    )


def separable() -> list[Label]:
    """Greetings need nothing, questions about dates need a document."""
    greetings = [label(i, f"Hello {name}", 0, type="greeting") for i, name in enumerate(GREETED)]
    dates = [
        label(100 + i, f"When was {name} Street opened?", 1, type="fact")
        for i, name in enumerate(GREETED)
    ]
    return [*greetings, *dates, label(200, "Dropped?", None, dropped="wrong")]
