"""A passage's questions from its names."""

from __future__ import annotations

import json
import random

from hopyard.prompts.indexes.passage_graph import QUESTIONS, PassageQuestions, question_values
from lab.asking import asked_of, names_in, passage_questions
from lab.hop_written_by_rule import RuleWriter
from lab.sources import Passage

FILM = Passage(
    "f",
    "The Quiet Harbour (film)",
    "The Quiet Harbour is a 1961 drama film directed by Anna Lindqvist and starring Peter Holm. "
    "It was shot in Bergen and won a prize of the Nordic Film Festival. German critics liked it.",
)


def test_names_are_others_than_the_subject_and_carry_a_kind() -> None:
    assert names_in(FILM) == [
        ("Anna Lindqvist", "person"),
        ("Peter Holm", "person"),
        ("Bergen", "place"),
        ("Nordic Film Festival", "thing"),
    ]


def test_only_what_the_words_answer_is_asked_of_the_subject() -> None:
    assert asked_of(FILM) == [
        "Who directed The Quiet Harbour?",
        "Who stars in The Quiet Harbour?",
        "What is The Quiet Harbour known for?",
    ]


def test_gold_questions_stand_first_and_the_rest_is_about_the_names() -> None:
    gold_in = {"f": ["Which drama film did Anna Lindqvist direct in 1961?"]}
    gold_out = {"f": ["Where did Peter Holm die?"]}
    [made] = passage_questions([FILM], gold_in, gold_out, random.Random(1))
    output = json.loads(made.output)
    assert output["incoming"][0] == gold_in["f"][0]
    assert len(output["incoming"]) >= 2
    assert output["outcoming"][0] == gold_out["f"][0]
    assert len(set(output["outcoming"])) == len(output["outcoming"]) >= 4
    names = [name for name, _ in names_in(FILM)]
    assert all(any(name in question for name in names) for question in output["outcoming"])
    assert made.source == "names:f"


def test_a_passage_that_names_nothing_is_left_out() -> None:
    plain = Passage("p", "Rain", "It rains often, and then it stops.")
    assert not list(passage_questions([plain], {}, {}, random.Random(1)))


def test_the_rule_answers_the_products_prompt_for_a_passages_questions() -> None:
    messages = QUESTIONS.messages(question_values(FILM.title, FILM.text))
    output = PassageQuestions.model_validate_json(str(RuleWriter().invoke(messages).content))
    assert output.incoming == asked_of(FILM)
    assert any("Anna Lindqvist" in question for question in output.outcoming)
