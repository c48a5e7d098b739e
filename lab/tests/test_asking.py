"""A passage's questions from its names."""

from __future__ import annotations

from hopyard.prompts.indexes.passage_graph import QUESTIONS, PassageQuestions, question_values
from lab.asking import asked_of, names_in
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


def test_the_rule_answers_the_products_prompt_for_a_passages_questions() -> None:
    messages = QUESTIONS.messages(question_values(FILM.title, FILM.text))
    output = PassageQuestions.model_validate_json(str(RuleWriter().invoke(messages).content))
    assert output.incoming == asked_of(FILM)
    assert any("Anna Lindqvist" in question for question in output.outcoming)
