"""Examples of writing a passage's questions and of judging the edges of the passage graph."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final

from hopyard.prompts.hop import JUDGE_EDGES, Judgements, question_lines
from hopyard.prompts.questions import QUESTIONS, PassageQuestions, question_values
from hopyard.state.hop import Relevance
from hopyard.training.encyclopedia import Film, Person
from hopyard.training.examples import TrainingExample, example
from hopyard.training.splitting import Answered

__all__ = ("film_questions", "judged_edges", "person_questions")

_MOST_FOLLOW_UPS: Final = 6


def judged_edges(
    split: Answered, others: Sequence[Answered], rng: random.Random
) -> TrainingExample:
    """Judge the next steps of a question among a stranger's questions and idle ones."""
    strangers = [one.first for one in rng.sample(others, min(_MOST_FOLLOW_UPS, len(others)))]
    judged: list[tuple[str, Relevance]] = [
        (one, "irrelevant")
        for one in strangers[: rng.randint(1, _MOST_FOLLOW_UPS - 2)]
        if one not in {split.first, split.second, split.filled}
    ]
    if rng.random() < 0.75:
        second = split.filled if split.is_bridge else split.second
        judged += [
            (one, "necessary") for one in rng.sample([split.first, second], rng.randint(1, 2))
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


def film_questions(film: Film, rng: random.Random) -> Iterator[TrainingExample]:
    """The questions of a film's passage."""
    incoming = [
        rng.choice([f"Who directed the film {film.name}?", f"Who is the director of {film.name}?"]),
        rng.choice(
            [f"When was the film {film.name} released?", f"In which year did {film.name} come out?"]
        ),
    ]  # fmt: skip
    outcoming = [
        f"Where was {film.director} born?",
        f"Which other films did {film.director} direct?",
        f"Which prizes did the film {film.name} win?",
        f"When was {film.director} born?",
        f"Where was {film.name} filmed?",
        f"How much money did {film.name} make?",
    ]
    yield _questions(film.passage.title, film.passage.text, incoming, outcoming, rng)


def person_questions(person: Person, rng: random.Random) -> Iterator[TrainingExample]:
    """The questions of a person's passage."""
    incoming = [f"When was {person.name} born?"]
    if person.trade:
        incoming.append(f"What was the profession of {person.name}?")
    if person.nation:
        incoming.append(f"What is the nationality of {person.name}?")
    if person.died:
        incoming.append(f"When did {person.name} die?")
    outcoming = [
        f"Who were the parents of {person.name}?",
        f"Where did {person.name} go to school?",
        f"Which prizes did {person.name} win?",
        f"Who was {person.name} married to?",
        f"Where did {person.name} live?",
        f"Who influenced {person.name}?",
    ]
    if len(incoming) >= 2:
        yield _questions(person.passage.title, person.passage.text, incoming, outcoming, rng)


def _questions(
    title: str, text: str, incoming: list[str], outcoming: list[str], rng: random.Random
) -> TrainingExample:
    rng.shuffle(incoming)
    chosen = rng.sample(outcoming, rng.randint(4, 5))
    output = PassageQuestions(incoming=incoming[:4], outcoming=chosen)
    return example(QUESTIONS, question_values(title, text), output, f"2wikimultihopqa:{title}")
