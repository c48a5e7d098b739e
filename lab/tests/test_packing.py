from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from hopyard.prompts.answer import ANSWER, Answer
from hopyard.prompts.route import Route
from hopyard.prompts.strategies.tree import JUDGE_DECOMPOSITION, Rubric
from lab.examples import ROUTE, TrainingExample, example
from lab.packing import Branch, Packed, branches_of, conversation, encode, pack


def route(question: str, strategy: str) -> TrainingExample:
    chosen = Route.model_validate({"strategy": strategy})
    return example(ROUTE, {"question": question}, chosen, "written")


def reading(passages: str, question: str) -> TrainingExample:
    values = {"passages": passages, "question": question}
    return example(ANSWER, values, Answer(answer="yes"), "written")


def conversations(packed: Packed) -> Iterator[list[int]]:
    """Every conversation of a tree, from its leaves up."""
    for leaf in set(range(len(packed.tokens))) - set(packed.previous):
        path = [leaf]
        while packed.previous[path[-1]] >= 0:
            path.append(packed.previous[path[-1]])
        yield [packed.tokens[at] for at in reversed(path)]


EXAMPLES = [
    route("Who wrote Emma?", "single"),
    route("What is 2 plus 2?", "direct"),
    route("Which is longer, the Po or the Elbe?", "tree"),
]


def test_the_conversation_is_the_products_own() -> None:
    turns, learned = conversation(EXAMPLES[0])
    asked = ROUTE.messages({"question": "Who wrote Emma?"})
    assert [turn["content"] for turn in turns[:learned]] == [message.content for message in asked]
    assert turns[learned:] == [{"role": "assistant", "content": '{"strategy":"single"}'}]


def test_exactly_the_answer_and_its_end_are_learned(tokenizer: Any) -> None:
    tokens, weights = encode(*conversation(EXAMPLES[0]), tokenizer)
    learned = [token for token, weight in zip(tokens, weights, strict=True) if weight]
    assert tokenizer.decode(learned) == '{"strategy":"single"}<end>'
    first = len(tokens) - len(learned)
    assert tokenizer.decode(tokens[:first]).endswith("Who wrote Emma?<end>\n<assistant>")


def test_what_the_schema_enforces_counts_little(tokenizer: Any) -> None:
    rubric = Rubric(wh_form=1, specific=0, relevant=1, non_overlapping=0, complete=1)
    values = {"question": "Who?", "first": "Who is?", "second": "Who was?"}
    judged = example(JUDGE_DECOMPOSITION, values, rubric, "written")
    tokens, weights = encode(*conversation(judged), tokenizer)
    content = [token for token, weight in zip(tokens, weights, strict=True) if weight == 1]
    assert tokenizer.decode(content) == "10101}<end>"
    assert {weight for weight in weights if 0 < weight < 1} == {0.1}


def test_a_template_that_rewrites_earlier_turns_is_refused(tokenizer: Any) -> None:
    write = tokenizer.apply_chat_template
    tokenizer.apply_chat_template = lambda turns, **options: (
        f"{len(turns)} turns: {write(turns, **options)}"
    )
    with pytest.raises(ValueError, match="turn by turn"):
        encode(*conversation(EXAMPLES[0]), tokenizer)


@pytest.mark.parametrize("longest", [1, 700, 5000])
def test_the_trees_hold_every_conversation_whole_and_once(tokenizer: Any, longest: int) -> None:
    many = [route(f"What is {number} plus 1?", "direct") for number in range(40)]
    packed = pack(many, tokenizer, longest, seed=3)
    held = sorted(tokens for tree in packed for tokens in conversations(tree))
    assert held == sorted(encode(*conversation(each), tokenizer)[0] for each in many)
    assert sum(len(tree.examples) for tree in packed) == len(many)
    assert [len(tree.examples) for tree in packed] == [1] * 40 or longest > 1
    for tree in packed:
        assert max(tree.positions) + 1 == max(map(len, conversations(tree)))


def test_what_examples_share_stands_once(tokenizer: Any) -> None:
    alone = sum(len(encode(*conversation(each), tokenizer)[0]) for each in EXAMPLES)
    (tree,) = pack(EXAMPLES, tokenizer, 10_000, seed=1)
    assert len(tree.tokens) < alone / 2
    learned = tokenizer.decode(
        [token for token, wanted in zip(tree.tokens, tree.weights, strict=True) if wanted]
    )
    assert learned.count('{"strategy":') == 3


def test_questions_over_the_same_passages_come_into_the_same_tree(tokenizer: Any) -> None:
    """Also where the tree grows longer by it."""
    passages = [f"[1] Po: The Po is {number} km long. " * 30 for number in range(5)]
    many = [reading(passage, f"Is number {n} so?") for n in range(3) for passage in passages]
    trees = pack(many, tokenizer, 900, seed=2)
    assert len(trees) > 1
    for passage in passages:
        holding = [tree for tree in trees if passage.strip() in tokenizer.decode(tree.tokens)]
        assert len(holding) == 1
        assert tokenizer.decode(holding[0].tokens).count(passage.strip()) == 1


@pytest.mark.parametrize(
    ("previous", "branches"),
    [
        ([-1, 0, 1], [Branch(0, 3, ())]),
        # 0 1 2 then either 3 4 or 5; of 5 either 6 or 7.
        (
            [-1, 0, 1, 2, 3, 2, 5, 5],
            [
                Branch(0, 3, ()),
                Branch(3, 5, (0,)),
                Branch(5, 6, (0,)),
                Branch(6, 7, (0, 2)),
                Branch(7, 8, (0, 2)),
            ],
        ),
        # Two roots.
        ([-1, 0, -1, 2], [Branch(0, 2, ()), Branch(2, 4, ())]),
    ],
)
def test_branches_by_hand(previous: Sequence[int], branches: list[Branch]) -> None:
    assert list(branches_of(previous)) == branches


def test_the_same_seed_packs_the_same(tokenizer: Any) -> None:
    assert pack(EXAMPLES, tokenizer, 900, 5) == pack(EXAMPLES, tokenizer, 900, 5)
