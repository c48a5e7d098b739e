"""Questions over facts that a rule has read: their answers follow from the facts."""

from __future__ import annotations

import random

from lab.encyclopedia import films_of, persons_of
from lab.fact_questions import fact_question
from lab.sources import Passage

FILMS = films_of(
    [
        Passage("a", "Ash", "Ash is a 1931 American drama film directed by Ann Alder."),
        Passage("b", "Bay", "Bay is a 1938 French comedy film directed by Ben Birch."),
        Passage("c", "Cove", "Cove is a 1995 French comedy film directed by Ann Alder."),
    ]
)
PERSONS = persons_of(
    [
        Passage("d", "Ann Alder", "Ann Alder (3 May 1901 – 2 June 1970) was an American actor."),
        Passage("e", "Ben Birch", "Ben Birch (4 July 1903) is a French actor."),
        Passage("f", "Cora Cedar", "Cora Cedar (5 July 1911) is a French singer."),
        Passage("g", "Dan Elm", "Dan Elm (6 July 1911) is a French singer."),
    ]
)
RIGHT = {
    "Are Ann Alder and Ben Birch both actors?": "yes",
    "Are Ann Alder and Ben Birch both American actors?": "no",
    "Are Cora Cedar and Dan Elm both French singers?": "yes",
    "Do Ann Alder and Ben Birch have the same nationality?": "no",
    "Was Ann Alder born before Ben Birch?": "yes",
    "Is Ann Alder younger than Cora Cedar?": "no",
    "Did Bay come out before Ash?": "no",
    "Are Ash and Bay both films of the 1930s?": "yes",
    "Are Ash and Cove both films of the 1930s?": "no",
    "Which film came out first, Ash or Cove?": "Ash",
    "Who is younger, Ben Birch or Cora Cedar?": "Cora Cedar",
    "When did the director of the film Ash die?": "2 June 1970",
}


def test_each_answer_follows_from_the_facts() -> None:
    rng = random.Random(5)
    drawn = [asked for _ in range(6000) if (asked := fact_question(FILMS, PERSONS, rng))]
    answers = {question: answer for question, _, answer in drawn}
    assert {question: answers[question] for question in RIGHT} == RIGHT
    assert all(passages for _, passages, _ in drawn)
    assert not any("Cora Cedar born before Dan Elm" in question for question in answers)
