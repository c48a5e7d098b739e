# ruff: noqa: E501  (a table of sentences)
from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from hopyard.nodes.sub_questions import repeats
from hopyard.prompts.strategies.decompose import Decomposition
from hopyard.prompts.strategies.tree import BranchScores, Rubric, branch_score
from lab.examples import PROMPTS, TrainingExample
from lab.mixture import COUNTS, build
from lab.sources import Guard, Passage, Question, Source, read_source, words_of
from lab.splitting import from_template, judge_branch, judge_split
from lab.steps import as_phrase, as_question

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
SAMPLE = Path(__file__).resolve().parents[2] / "examples" / "solar_system" / "questions.jsonl"
SETS = ("hotpotqa", "musique", "multihoprag", "squad2", "nq_open")


@pytest.fixture(scope="module")
def examples() -> list[TrainingExample]:
    if not DATA.is_dir():
        pytest.skip("the question sets are not here")
    return build(DATA, seed=17)


def text_of(example: TrainingExample) -> str:
    return "\n".join(example.values.values())


def shingles(text: str, size: int) -> set[tuple[str, ...]]:
    words = words_of(text)
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


def test_only_training_questions_are_used(examples: list[TrainingExample]) -> None:
    train, held_out = set(), set()
    for name in SETS:
        source = read_source(DATA / name)
        train |= {f"{name}:{question.id}" for question in source.of("train")}
        held_out |= {" ".join(words_of(question.question)) for question in source.of("dev")}
    named = {example.source for example in examples} - {"written", "2wikimultihopqa"}
    named -= {
        example.source for example in examples if example.prompt == "questions"
    }  # from passages
    assert named
    assert named <= train
    asked = {" ".join(words_of(example.values.get("question", ""))) for example in examples}
    assert not asked & held_out


def test_no_text_of_a_held_out_questions_passages_is_read(examples: list[TrainingExample]) -> None:
    seen: set[tuple[str, ...]] = set()
    for example in examples:
        for name in ("passages", "passage"):
            seen |= shingles(example.values.get(name, ""), 14)
    for name in SETS:
        source = read_source(DATA / name)
        for question in source.of("dev"):
            for passage_id in question.supporting_ids:
                passage = source.passages[passage_id]
                assert seen.isdisjoint(shingles(passage.text, 14)), passage.title


def test_the_sample_corpus_is_never_seen(examples: list[TrainingExample]) -> None:
    asked = {
        " ".join(words_of(question.question)) for question in read_source(SAMPLE.parent).questions
    }
    assert len(asked) == 30
    for example in examples:
        assert " ".join(words_of(example.values.get("question", ""))) not in asked


def test_every_output_fits_its_prompts_schema(examples: list[TrainingExample]) -> None:
    for example in examples:
        prompt = PROMPTS[example.prompt]
        assert prompt.output.model_validate_json(example.output).model_dump_json() == example.output
        assert prompt.messages(example.values)
    assert {example.prompt for example in examples} == {
        name for name, count in COUNTS.items() if count
    }


def test_no_decomposition_taught_is_one_that_the_tree_throws_away(
    examples: list[TrainingExample],
) -> None:
    splits = [example for example in examples if example.prompt == "decompose"]
    kinds = set()
    for split in splits:
        output = Decomposition.model_validate_json(split.output)
        kinds.add(output.kind)
        if output.kind == "compound":
            assert not repeats(split.values["question"], (output.first, output.second)), split
        else:
            assert not output.first
            assert not output.second
    assert kinds == {"simple", "compound"}


def test_yes_and_no_are_read_equally_often(examples: list[TrainingExample]) -> None:
    """A model that mostly saw one of them says that one."""
    answers = Counter(example.output for example in examples if example.prompt == "answer")
    yes, no = answers['{"answer":"yes"}'], answers['{"answer":"no"}']
    assert min(yes, no) > 50
    assert 0.8 < yes / no < 1.25


def test_the_same_seed_builds_the_same(examples: list[TrainingExample]) -> None:
    assert build(DATA, seed=17) == examples


def test_a_copied_passage_is_held_out_with_the_first() -> None:
    text = "one two three four five six seven eight nine ten eleven twelve thirteen"
    passages = {"p": Passage("p", "P", text)}
    held_out = Question("q", "Who?", ("x",), ("p",), "single", "dev")
    guard = Guard([Source("set", (held_out,), passages)])
    assert not guard.allows(Passage("other", "", f"before {text.upper()}, after"))
    assert guard.allows(Passage("other", "", text.replace("seven", "7")))
    assert not guard.allows_question("who")


def test_spoiled_halves_score_lower_and_name_the_weaker() -> None:
    rng = random.Random(1)
    splits = [from_template(rng) for _ in range(60)]
    rubrics = [
        Rubric.model_validate_json(example.output)
        for split in splits
        for example in judge_split(split, splits, rng)
    ]
    assert {rubric.points for rubric in rubrics} >= {0, 3, 5}
    for split in splits:
        for example in judge_branch(split, splits, rng):
            scores = BranchScores.model_validate_json(example.output)
            unknown = [
                example.values[f"{half}_answer"] == "Unknown" for half in ("first", "second")
            ]
            if any(unknown):
                assert branch_score(scores.scores) < 0.6
            if unknown == [True, False] and split.first in example.values.values():
                assert scores.weaker == "first"


@pytest.mark.parametrize(
    ("step", "question", "phrase"),
    [
        ("Jaws >> director", "Who is the director of Jaws?", "the director of Jaws"),
        ("Emma Roe >> place of birth", "Where was Emma Roe born?", "the place where Emma Roe was born"),
        ("Who Issued the Tamworth manifesto?", "Who Issued the Tamworth manifesto?", "the person who Issued the Tamworth manifesto"),
        ("what city was Danko Jones formed in", "What city was Danko Jones formed in?", "the city where Danko Jones was formed"),
        ("Who did the organizers want to arrest ?", "Who did the organizers want to arrest?", ""),
    ],
)  # fmt: skip
def test_steps_are_put_as_questions_and_as_phrases(step: str, question: str, phrase: str) -> None:
    assert as_question(step) == question
    assert as_phrase(step) == phrase
