from __future__ import annotations

from typing import Any

import pytest

from hopyard.prompts.route import ROUTE, Route
from hopyard.training.examples import TrainingExample, example
from hopyard.training.packing import conversation, encode, pack


def route(question: str, strategy: str) -> TrainingExample:
    chosen = Route.model_validate({"strategy": strategy})
    return example(ROUTE, {"question": question}, chosen, "written")


EXAMPLES = [
    route("Who wrote Emma?", "single"),
    route("What is 2 plus 2?", "direct"),
    route("Which is longer, the Po or the Elbe?", "tree"),
]


def test_the_conversation_is_the_products_own_with_further_turns() -> None:
    turns, learned = conversation(EXAMPLES)
    asked = ROUTE.messages({"question": "Who wrote Emma?"})
    assert [one["content"] for one in turns[: len(asked)]] == [one.content for one in asked]
    assert learned == [len(asked), len(asked) + 2, len(asked) + 4]
    assert turns[learned[1] - 1] == {"role": "user", "content": "Question: What is 2 plus 2?"}
    assert turns[learned[2]] == {"role": "assistant", "content": '{"strategy":"tree"}'}


def test_exactly_the_real_answers_and_their_ends_are_learned(tokenizer: Any) -> None:
    tokens, mask = encode(*conversation(EXAMPLES), tokenizer)
    learned = tokenizer.decode([one for one, wanted in zip(tokens, mask, strict=True) if wanted])
    assert learned == '{"strategy":"single"}<end>{"strategy":"direct"}<end>{"strategy":"tree"}<end>'
    first = mask.index(True)
    assert tokenizer.decode(tokens[:first]).endswith("Who wrote Emma?<end>\n<assistant>")


def test_a_template_that_rewrites_earlier_turns_is_refused(tokenizer: Any) -> None:
    write = tokenizer.apply_chat_template
    tokenizer.apply_chat_template = lambda turns, **options: (
        f"{len(turns)} turns: {write(turns, **options)}"
    )
    with pytest.raises(ValueError, match="turn by turn"):
        encode(*conversation(EXAMPLES), tokenizer)


@pytest.mark.parametrize("longest", [1, 700, 5000])
def test_every_example_is_packed_once(tokenizer: Any, longest: int) -> None:
    many = [route(f"What is {number} plus 1?", "direct") for number in range(40)]
    packed = pack(many, tokenizer, longest, seed=3)
    assert sum(one.examples for one in packed) == len(many)
    text = "".join(tokenizer.decode(one.tokens) for one in packed)
    assert all(text.count(f"What is {number} plus 1?") == 1 for number in range(40))
    assert all(len(one.tokens) == len(one.learned) for one in packed)
    if longest == 1:
        assert all(one.examples == 1 for one in packed)


def test_the_same_seed_packs_the_same(tokenizer: Any) -> None:
    assert pack(EXAMPLES, tokenizer, 900, 5) == pack(EXAMPLES, tokenizer, 900, 5)
