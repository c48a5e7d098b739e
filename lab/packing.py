"""Packs examples of one prompt into prefix trees, and says which tokens are learned.

Examples of a prompt begin alike: its instructions and its own examples are long and always the
same, and questions about the same passages share those too. A sequence here is the tree of several
conversations, in which what they share stands once; each token sees its own conversation alone
(`tree_attention`), so the model learns exactly what it will be asked, at a part of the cost.
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
"""What a JSON object of known keys leaves no choice in."""
_FORM_WEIGHT: Final = 0.1
"""What a token of the form counts, where one of the content counts 1: the schema enforces it."""
_MOST_ALONE: Final = 8
"""Examples in a tree that share no passages, at most."""

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
        weights: How much each token counts that the model shall learn to write; of others 0.
        examples: What it was made of.
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
    """The turns of an example, the product's own, and the place of the one that is learned."""
    messages = PROMPTS[example.prompt].messages(example.values)
    turns = [{"role": _ROLES[one.type], "content": str(one.content)} for one in messages]
    return [*turns, {"role": "assistant", "content": example.output}], len(turns)


def encode(turns: Sequence[Turn], learned: int, tokenizer: Any) -> tuple[list[int], list[float]]:
    """Token ids by the model's own chat template, and how much each counts in what is learned.

    Learned are a turn's text and the token that ends it; what the template puts before it is not.
    Keys and braces count little: a judge's five digits would else be lost among forty such tokens.
    """
    before = _rendered(turns[:learned], tokenizer, asking=True)
    text = _rendered(turns[: learned + 1], tokenizer).rstrip()
    if not text.startswith(before):
        raise ValueError("the chat template does not write a conversation turn by turn")
    encoded = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
    form = [one.span() for one in _FORM.finditer(text, len(before))]
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
    for one in examples:
        by_prompt[one.prompt].append(_Encoded(one, *encode(*conversation(one), tokenizer)))
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
    # Of the branch that ends at a place: the numbers of those above it, and its own.
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
        shared = _shared(group[0].tokens, family[0].tokens) if group else 0
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
    ordered = sorted(group, key=lambda one: one.tokens)
    tokens: list[int] = []
    previous: list[int] = []
    weights: list[float] = []
    path: list[int] = []
    before: Sequence[int] = ()
    for one in ordered:
        shared = _shared(before, one.tokens)
        del path[shared:]
        for token, weight in zip(one.tokens[shared:], one.weights[shared:], strict=True):
            previous.append(path[-1] if path else -1)
            path.append(len(tokens))
            tokens.append(token)
            weights.append(weight)
        before = one.tokens
    return Packed(prompt, tokens, previous, weights, [one.example for one in ordered])


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens two conversations begin with alike."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _rendered(turns: Sequence[Turn], tokenizer: Any, *, asking: bool = False) -> str:
    text: str = tokenizer.apply_chat_template(
        list(turns), tokenize=False, add_generation_prompt=asking
    )
    return text
