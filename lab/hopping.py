"""Examples of judging the edges of the passage graph."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from hopyard.prompts.strategies.hop import JUDGE_EDGES, Judgements, question_lines
from hopyard.state.hop import Relevance
from lab.examples import TrainingExample, example
from lab.splitting import Answered

__all__ = ("judge_edges",)

_MOST_FOLLOW_UPS: Final = 6


def judge_edges(split: Answered, others: Sequence[Answered], rng: random.Random) -> TrainingExample:
    """Judge the next steps of a question among unrelated and idle questions."""
    strangers = [other.first for other in rng.sample(others, min(_MOST_FOLLOW_UPS, len(others)))]
    judged: list[tuple[str, Relevance]] = [
        (stranger, "irrelevant")
        for stranger in strangers[: rng.randint(1, _MOST_FOLLOW_UPS - 2)]
        if stranger not in {split.first, split.second, split.filled}
    ]
    if rng.random() < 0.75:
        second = split.filled if split.is_bridge else split.second
        judged += [
            (half, "necessary") for half in rng.sample([split.first, second], rng.randint(1, 2))
        ]
    if rng.random() < 0.4:
        idle = rng.choice(["What is {x} known for?", "Who wrote about {x}?", "What is near {x}?"])
        judged.append((idle.format(x=split.first_answer), "indirect"))
    judged = judged or [(split.first, "necessary")]
    rng.shuffle(judged)
    values = {
        "question": split.question,
        "follow_ups": question_lines([question for question, _ in judged]),
    }
    output = Judgements(judgements=[relevance for _, relevance in judged])
    return example(JUDGE_EDGES, values, output, split.origin)
