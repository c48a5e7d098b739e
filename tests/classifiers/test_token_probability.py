from __future__ import annotations

import math
from typing import Any

import lazy_loader
import pytest

from hopyard.classifiers.causal import Causal
from hopyard.classifiers.contributions import OwnAnswer, Reading
from hopyard.classifiers.token_probability import (
    PrefixRows,
    TokenProbability,
    common_prefix,
    probability_sum,
)
from hopyard.prompts.judging.coalitions import COALITION, COALITIONS, coalition_values

torch = lazy_loader.load("torch")  # each process that tests imports this file

READINGS = [
    Reading("Who?", "[1] Ann: Ann did it."),
    Reading("When was the long bridge opened?", "[1] Bridge: 1781.\n[2] Other: a longer text."),
]


def prompt_ids(causal: Causal, coalition: Any, reading: Reading) -> list[int]:
    values = coalition_values(coalition, reading.question, reading.passages)
    roles = {"system": "system", "human": "user", "ai": "assistant"}
    turns = [
        {"role": roles[message.type], "content": message.content}
        for message in COALITION.messages(values)
    ]
    text = causal.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    return list(causal.tokenizer(text + '{"answer":"')["input_ids"])


def straight(causal: Causal, prompt: list[int], tokens: tuple[int, ...]) -> float:
    """The definition, without a cache or a batch."""
    with torch.no_grad():
        logits = causal.model(input_ids=torch.tensor([[*prompt, *tokens]])).logits[0]
    chances = logits.softmax(-1)
    return sum(float(chances[len(prompt) - 1 + place, token]) for place, token in enumerate(tokens))


def test_probabilities_are_added_not_their_logarithms() -> None:
    logits = torch.tensor([[math.log(3.0), 0.0], [0.0, math.log(4.0)]])  # ¾, ¼ and ⅕, ⅘
    assert probability_sum(logits, [0, 0]) == pytest.approx(0.75 + 0.2)


async def test_a_padded_batch_with_caches_gives_the_definition(causal: Causal) -> None:
    function = TokenProbability(causal)
    answered = [
        OwnAnswer(READINGS[0], "ab", (66, 67)),
        OwnAnswer(READINGS[1], "xyzuv", (89, 90, 91, 86, 87)),
    ]
    found = await function.values(answered)
    for own, values in zip(answered, found, strict=True):
        assert values is not None
        for coalition in COALITIONS:
            wanted = straight(causal, prompt_ids(causal, coalition, own.reading), own.tokens)
            assert getattr(values, coalition) == pytest.approx(wanted, abs=1e-5)
        assert len({round(getattr(values, name), 6) for name in COALITIONS}) == len(COALITIONS)


async def test_values_after_an_answer_use_what_was_read_and_are_the_same(causal: Causal) -> None:
    fresh, used = TokenProbability(causal), TokenProbability(causal)
    await used.answer(READINGS)
    given = [OwnAnswer(READINGS[1], "xyz", (89, 90, 91))]
    [first], [other] = await fresh.values(given), await used.values(given)
    assert first is not None
    assert other is not None
    for name in COALITIONS:
        assert getattr(first, name) == pytest.approx(getattr(other, name), abs=1e-5)


async def test_an_answer_is_greedy_and_the_same_in_any_batch(causal: Causal) -> None:
    together = await TokenProbability(causal).answer(READINGS)
    for reading, found in zip(READINGS, together, strict=True):
        [alone] = await TokenProbability(causal).answer([reading])
        assert alone == found
        assert found is not None
        ids = prompt_ids(causal, "both", reading)
        with torch.no_grad():
            logits = causal.model(input_ids=torch.tensor([[*ids, *found.tokens]])).logits[0]
        greedy = logits[len(ids) - 1 : -1].argmax(-1).tolist()
        assert greedy == list(found.tokens)


async def test_without_retrieval_the_products_own_prompt_is_asked(causal: Causal) -> None:
    function = TokenProbability(causal)
    hello, other = await function.answer_directly(["Hello!", "What is 2 plus 2?"])
    assert [hello] == await function.answer_directly(["Hello!"])
    assert [other] == await function.answer_directly(["What is 2 plus 2?"])


class Scripted:
    """A model that writes a text, token by token, whatever the prompt is."""

    device = torch.device("cpu")

    def __init__(self, written: list[int]) -> None:
        self.written = [*written, 0]
        self.read = 0

    def __call__(self, **given: Any) -> Any:
        logits = torch.zeros(len(given["input_ids"]), 1, 260)
        logits[:, -1, self.written[min(self.read, len(self.written) - 1)]] = 1
        self.read += 1
        return type("Output", (), {"logits": logits})


@pytest.mark.parametrize(
    ("written", "text", "tokens"),
    [
        ('Paris"}', "Paris", 5),
        ('a \\"b\\" c"}', 'a "b" c', 9),
        ("cut off", "cut off", 7),
        ('"}', "", 0),
    ],
)
def test_an_answer_ends_at_its_closing_quote(
    causal: Causal, written: str, text: str, tokens: int
) -> None:
    function = TokenProbability(causal)
    model = Scripted(list(causal.tokenizer(written)["input_ids"]))
    rows = PrefixRows(model, None, [[]], [[]], 0)
    [(found, shown)] = function._write(rows, [[1, 2, 3]])
    assert (shown, len(found)) == (text, tokens)


def test_common_prefix() -> None:
    assert common_prefix([1, 2, 3], [1, 2, 4]) == 2
    assert common_prefix([1, 2], [1, 2, 4]) == 2
    assert common_prefix([], [1]) == 0
