"""Pack examples of one prompt into prefix trees, and weight the tokens to learn.

Examples of a prompt share its long instructions and examples; questions about the same passages
share those too. A sequence is a tree of several conversations, in which shared parts occur once.
Each token attends only to its own conversation (`tree_attention`), so the model learns exactly
what it will be asked, at a part of the cost.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from lab.examples import PROMPTS, TrainingExample

__all__ = ("Branch", "Packed", "Turn", "branches_of", "conversation", "encode", "pack")

_ROLES: Final = {"system": "system", "human": "user", "ai": "assistant"}
_FORM: Final = re.compile(r'[{,]"\w+":"?')
"""The parts of a JSON object with known keys that are always the same."""
_FORM_WEIGHT: Final = 0.1
"""The weight of a token of the form, which the schema enforces; content tokens weigh 1."""
_MOST_ALONE: Final = 8
"""Examples without shared passages in a tree, at most."""

Turn = dict[str, str]


@dataclass(frozen=True)
class Branch:
    """A run of tokens that belong to the same conversations.

    Attributes:
        start: Its first token's place in the sequence.
        end: The place after its last.
        above: The numbers of the branches that it grows from, the root first.
    """

    start: int
    end: int
    above: tuple[int, ...]


@dataclass(frozen=True)
class Packed:
    """One training sequence: a tree of conversations, depth first.

    Attributes:
        prompt: The prompt's key.
        tokens: The token ids.
        previous: The place of the token before each in its conversation; -1 at the beginning.
        weights: The weight of each token in the loss; 0 for tokens of the prompt.
        examples: The examples in it.
    """

    prompt: str
    tokens: list[int]
    previous: list[int]
    weights: list[float]
    examples: list[TrainingExample]

    @property
    def positions(self) -> list[int]:
        """The place of each token in its own conversation."""
        positions: list[int] = []
        for before in self.previous:
            positions.append(positions[before] + 1 if before >= 0 else 0)
        return positions


def conversation(example: TrainingExample) -> tuple[list[Turn], int]:
    """The turns of an example, as the product writes them, and the place of the learned turn."""
    messages = PROMPTS[example.prompt].messages(example.values)
    turns = [
        {"role": _ROLES[message.type], "content": str(message.content)} for message in messages
    ]
    return [*turns, {"role": "assistant", "content": example.output}], len(turns)


def encode(turns: Sequence[Turn], learned: int, tokenizer: Any) -> tuple[list[int], list[float]]:
    """Token ids by the model's own chat template, and the weight of each in the loss.

    The model learns a turn's text and the token that ends it, not what the template puts before.
    Keys and braces weigh little; otherwise a judge's five digits get lost among forty such tokens.
    """
    before = _render(turns[:learned], tokenizer, asking=True)
    text = _render(turns[: learned + 1], tokenizer).rstrip()
    if not text.startswith(before):
        raise ValueError("the chat template does not write a conversation turn by turn")
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    form = [match.span() for match in _FORM.finditer(text, len(before))]
    weights = [
        0.0
        if start < len(before) or end <= start
        else _FORM_WEIGHT
        if any(begun <= start and end <= ended for begun, ended in form)
        else 1.0
        for start, end in encoded["offset_mapping"]
    ]
    return list(encoded["input_ids"]), weights


def pack(
    examples: Sequence[TrainingExample], tokenizer: Any, longest: int, seed: int
) -> list[Packed]:
    """All examples in trees of about `longest` tokens at most, shuffled.

    Examples that share their passages go into the same tree; which of those come together in one
    is drawn. Of examples without passages a tree holds eight at most: a tree is a step of
    training, and a short task would else have few.
    """
    rng = random.Random(seed)
    by_prompt: dict[str, list[_Encoded]] = defaultdict(list)
    for example in examples:
        by_prompt[example.prompt].append(
            _Encoded(example, *encode(*conversation(example), tokenizer))
        )
    packed = []
    for name in sorted(by_prompt):
        families: dict[str, list[_Encoded]] = defaultdict(list)
        for number, known in enumerate(by_prompt[name]):
            families[known.example.values.get("passages") or str(number)].append(known)
        order = list(families.values())
        rng.shuffle(order)
        packed += [_tree(name, group) for group in _groups(order, longest)]
    rng.shuffle(packed)
    return packed


def branches_of(previous: Sequence[int]) -> Iterator[Branch]:
    """The branches of a tree, in order; together they are the whole sequence."""
    following = [0] * len(previous)
    for before in previous:
        if before >= 0:
            following[before] += 1
    starts = [
        at
        for at, before in enumerate(previous)
        if before != at - 1 or at == 0 or following[at - 1] > 1
    ]
    # By the place where a branch ends: the numbers of the branches above it, and its own.
    ending: dict[int, tuple[int, ...]] = {}
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(previous)], strict=True)):
        above = ending.get(previous[start], ())
        ending[end - 1] = (*above, number)
        yield Branch(start, end, above)


@dataclass(frozen=True)
class _Encoded:
    example: TrainingExample
    tokens: list[int]
    weights: list[float]


def _groups(families: Iterable[Sequence[_Encoded]], longest: int) -> Iterator[list[_Encoded]]:
    """Whole families until the tree would be too long, or has enough alone; never none."""
    group: list[_Encoded] = []
    size = 0
    for family in families:
        alone = len(_tree("", family).tokens)
        shared = _shared_prefix(group[0].tokens, family[0].tokens) if group else 0
        enough = len(group) >= _MOST_ALONE and len(family) == 1
        if group and (enough or size + alone - shared > longest):
            yield group
            group, size, shared = [], 0, 0
        group.extend(family)
        size += alone - shared
    if group:
        yield group


def _tree(prompt: str, group: Iterable[_Encoded]) -> Packed:
    """The conversations sorted, so that those which begin alike stand together."""
    ordered = sorted(group, key=lambda leaf: leaf.tokens)
    tokens: list[int] = []
    previous: list[int] = []
    weights: list[float] = []
    path: list[int] = []
    before: Sequence[int] = ()
    for leaf in ordered:
        shared = _shared_prefix(before, leaf.tokens)
        del path[shared:]
        for token, weight in zip(leaf.tokens[shared:], leaf.weights[shared:], strict=True):
            previous.append(path[-1] if path else -1)
            path.append(len(tokens))
            tokens.append(token)
            weights.append(weight)
        before = leaf.tokens
    return Packed(prompt, tokens, previous, weights, [leaf.example for leaf in ordered])


def _shared_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two conversations begin with alike."""
    count = 0
    for a, b in zip(first, second, strict=False):
        if a != b:
            break
        count += 1
    return count


def _render(turns: Sequence[Turn], tokenizer: Any, *, asking: bool = False) -> str:
    text: str = tokenizer.apply_chat_template(
        list(turns), tokenize=False, add_generation_prompt=asking
    )
    return text
