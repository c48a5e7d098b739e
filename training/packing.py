"""Packs several examples of one prompt into one conversation, and says which tokens are learned.

A prompt's own examples are earlier turns of the conversation, so real examples can follow as
further turns: instructions and examples, which are long, are then computed once for all of them.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any, Final

from hopyard.prompts.prompt import Prompt
from hopyard.training.examples import PROMPTS, TrainingExample

__all__ = ("Packed", "Turn", "conversation", "encode", "pack")

ALONE: Final = 0.12
"""Share of the sequences with one example, which is how the product asks."""
MOST: Final = 6
"""Examples of a sequence at most: with more, the later ones are learned from the earlier ones."""
_ROLES: Final = {"system": "system", "human": "user", "ai": "assistant"}

Turn = dict[str, str]


@dataclass(frozen=True)
class Packed:
    """One training sequence.

    Attributes:
        prompt: The prompt's key.
        tokens: The token ids.
        learned: Whether each token is one that the model shall learn to write.
        examples: How many examples are in it.
    """

    prompt: str
    tokens: list[int]
    learned: list[bool]
    examples: int


def conversation(examples: Sequence[TrainingExample]) -> tuple[list[Turn], list[int]]:
    """The turns of a packed conversation, and the places of those that are learned."""
    prompt = PROMPTS[examples[0].prompt]
    messages = prompt.messages(examples[0].values)
    turns = [{"role": _ROLES[one.type], "content": str(one.content)} for one in messages]
    learned = []
    for number, one in enumerate(examples):
        if number:
            content = Template(prompt.template).substitute(one.values)
            turns.append({"role": "user", "content": content})
        learned.append(len(turns))
        turns.append({"role": "assistant", "content": one.output})
    return turns, learned


def encode(
    turns: Sequence[Turn], learned: Iterable[int], tokenizer: Any
) -> tuple[list[int], list[bool]]:
    """Token ids by the model's own chat template, and which of them are learned.

    Learned are a turn's text and the token that ends it; what the template puts before it is not.
    """
    text = _rendered(turns, tokenizer)
    spans = []
    for place in learned:
        before = _rendered(turns[:place], tokenizer, asking=True)
        upto = _rendered(turns[: place + 1], tokenizer).rstrip()
        if not text.startswith(before) or not text.startswith(upto):
            raise ValueError("the chat template does not write a conversation turn by turn")
        spans.append((len(before), len(upto)))
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    mask = [
        any(start >= first and end <= last for first, last in spans) and end > start
        for start, end in encoded["offset_mapping"]
    ]
    return list(encoded["input_ids"]), mask


def pack(
    examples: Sequence[TrainingExample], tokenizer: Any, longest: int, seed: int
) -> list[Packed]:
    """All examples in sequences of about `longest` tokens at most, shuffled."""
    rng = random.Random(seed)  # noqa: S311
    by_prompt: dict[str, list[TrainingExample]] = defaultdict(list)
    for one in examples:
        by_prompt[one.prompt].append(one)
    packed = []
    for name in sorted(by_prompt):
        for group in _groups(by_prompt[name], PROMPTS[name], tokenizer, longest, rng):
            tokens, learned = encode(*conversation(group), tokenizer)
            packed.append(Packed(name, tokens, learned, len(group)))
    rng.shuffle(packed)
    return packed


def _groups(
    examples: Sequence[TrainingExample],
    prompt: Prompt[Any],
    tokenizer: Any,
    longest: int,
    rng: random.Random,
) -> Iterator[list[TrainingExample]]:
    template = Template(prompt.template)

    def size(one: TrainingExample) -> int:
        return len(tokenizer(template.substitute(one.values) + one.output)["input_ids"]) + 10

    prefix = len(encode(conversation(examples[:1])[0], [], tokenizer)[0]) - size(examples[0])
    group: list[TrainingExample] = []
    room = 0
    for one in examples:
        cost = size(one)
        if group and (cost > room or len(group) == MOST):
            yield group
            group = []
        if not group:
            room = 0 if rng.random() < ALONE else longest - prefix
        group.append(one)
        room -= cost
    if group:
        yield group


def _rendered(turns: Sequence[Turn], tokenizer: Any, *, asking: bool = False) -> str:
    text: str = tokenizer.apply_chat_template(
        list(turns), tokenize=False, add_generation_prompt=asking
    )
    return text
