"""Cases for measuring: held-out questions in the product's prompts, and their grading."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hopyard.models.prompt import Prompt
from hopyard.nodes.sub_questions import repeats
from hopyard.prompts.answer import ANSWER
from hopyard.prompts.passages import passage_lines, passage_snippet, plain
from hopyard.prompts.strategies.decompose import DECOMPOSE
from hopyard.prompts.strategies.hop import judge_prompt
from hopyard.state.settings.fields import Context
from lab.examples import PROMPTS, ROUTE, ROUTE_WITH_HOP, TrainingExample
from lab.hopping import judge_edges
from lab.scores import best, exact_match, pair_f1, short, token_f1
from lab.sources import Guard, Question, Source, read_source
from lab.splitting import Answered, judge_branch, judge_split
from lab.steps import halves_of

__all__ = ("Case", "cases")

Grades = dict[str, float]
LABELS: Final = {"single": "single", "comparison": "tree", "bridge": "hop", "none": "direct"}


@dataclass(frozen=True)
class Case:
    """A call and how its output is graded.

    Attributes:
        step: The measured step; grades are averaged over its cases.
        prompt: The prompt.
        values: The values of its template.
        grade: Named grades of the output.
    """

    step: str
    prompt: Prompt[Any]
    values: Mapping[str, str]
    grade: Callable[[Any], Grades]


def cases(data: Path, sample: Path, limit: int, seed: int) -> Iterator[Case]:
    """All cases, those of one prompt together.

    Args:
        data: The folder of the question sets.
        sample: The sample corpus's questions, with their types.
        limit: Cases for each step and set at most.
        seed: Draws the corruptions.
    """
    rng = random.Random(seed)
    sources = {name: read_source(data / name) for name in ("hotpotqa", "musique", "nq_open")}
    for name in ("hotpotqa", "musique"):
        for question in sources[name].of("dev")[:limit]:
            yield _reading(question, sources[name])
    splits = _dev_splits(sources["musique"])
    compared = [q for q in sources["hotpotqa"].of("dev") if q.type == "comparison"]
    single = sources["nq_open"].of("dev")[:limit]
    yield from (_split(split) for split in splits[:limit])
    yield from (_comparison(question) for question in compared[:limit])
    yield from (_simple(question) for question in single)
    yield from (
        _routing(ROUTE, question, "tree" if label == "hop" else label, "route, sample corpus")
        for question, label in _sample(sample)
    )
    held_out = [(q.question, "single") for q in single] + [(q.question, "tree") for q in compared]
    held_out += [(split.question, "hop") for split in splits[:limit]]
    yield from (
        _routing(ROUTE, question, "tree" if label == "hop" else label, "route, held-out questions")
        for question, label in held_out
    )
    yield from (
        _routing(ROUTE_WITH_HOP, question, label, "route with hop, sample corpus")
        for question, label in _sample(sample)
    )
    yield from (
        _routing(ROUTE_WITH_HOP, question, label, "route with hop, held-out questions")
        for question, label in held_out
    )
    judged = splits[: 2 * limit]
    yield from (
        _judging(example) for split in judged for example in judge_split(split, splits, rng)
    )
    yield from (
        _judging(example) for split in judged for example in judge_branch(split, splits, rng)
    )
    yield from (_edges(judge_edges(split, splits, rng)) for split in splits[:limit])


def _dev_splits(musique: Source) -> list[Answered]:
    nothing_held_out = Guard([])
    halves = [
        half
        for question in musique.of("dev")
        for half in halves_of(question, musique.passages, nothing_held_out)
    ]
    return [split for split in map(Answered.of, halves) if not _same(split)]


def _same(split: Answered) -> bool:
    return plain(split.question) == plain(split.second)


def _sample(path: Path) -> list[tuple[str, str]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [(row["question"], LABELS[row["type"]]) for row in rows]


def _reading(question: Question, source: Source) -> Case:
    longest = Context().retrieval.snippet_tokens
    gold = [source.passages[passage_id] for passage_id in question.supporting_ids]
    passages = passage_lines(
        [(passage.title, passage_snippet(passage.text, longest)) for passage in gold]
    )

    def grade(output: Any) -> Grades:
        return {
            "exact_match": best(exact_match(output.answer, short(a)) for a in question.answers),
            "f1": best(token_f1(output.answer, short(a)) for a in question.answers),
        }

    values = {"passages": passages, "question": question.question}
    return Case(f"reading gold passages, {source.name}", ANSWER, values, grade)


def _split(split: Answered) -> Case:
    def grade(output: Any) -> Grades:
        compound = output.kind == "compound"
        valid = compound and not repeats(split.question, (output.first, output.second))
        pair = (output.first, output.second)
        gold = (split.first, split.second)
        return {
            "valid": float(valid),
            "echo": float(compound and not valid),
            "f1_with_gold": pair_f1(pair, gold) if valid else 0.0,
        }

    return _decomposing("decompose, musique", split.question, grade)


def _comparison(question: Question) -> Case:
    def grade(output: Any) -> Grades:
        compound = output.kind == "compound"
        valid = compound and not repeats(question.question, (output.first, output.second))
        return {"valid": float(valid), "echo": float(compound and not valid)}

    return _decomposing("decompose, hotpotqa comparisons", question.question, grade)


def _simple(question: Question) -> Case:
    def grade(output: Any) -> Grades:
        left = output.kind == "simple" or bool(
            repeats(question.question, (output.first, output.second))
        )
        return {"left_whole": float(left)}

    return _decomposing("decompose, single facts", question.question, grade)


def _decomposing(step: str, question: str, grade: Callable[[Any], Grades]) -> Case:
    return Case(step, DECOMPOSE, {"question": question, "rejected": ""}, grade)


def _routing(prompt: Prompt[Any], question: str, label: str, step: str) -> Case:
    def grade(output: Any) -> Grades:
        return {"accuracy": float(output.strategy == label), label: float(output.strategy == label)}

    return Case(step, prompt, {"question": question}, grade)


def _judging(example: TrainingExample) -> Case:
    """The judge's total for a good and for a corrupted decomposition or branch."""
    prompt = PROMPTS[example.prompt]
    gold = prompt.output.model_validate_json(example.output)

    def grade(output: Any) -> Grades:
        sound = _total(gold) == _most(gold)
        grades = {"good_total" if sound else "bad_total": _total(output)}
        if not sound and hasattr(gold, "weaker"):
            grades["weaker_found"] = float(output.weaker == gold.weaker)
        return grades

    return Case(example.prompt, prompt, example.values, grade)


def _edges(example: TrainingExample) -> Case:
    gold = json.loads(example.output)["judgements"]
    prompt = judge_prompt(len(gold))

    def grade(output: Any) -> Grades:
        right = [given == wanted for given, wanted in zip(output.judgements, gold, strict=True)]
        return {"accuracy": sum(right) / len(right)}

    return Case(example.prompt, prompt, example.values, grade)


def _total(output: Any) -> float:
    points = output.scores.values() if hasattr(output, "scores") else output.model_dump().values()
    return float(sum(points))


def _most(output: Any) -> float:
    return 20.0 if hasattr(output, "scores") else 5.0
