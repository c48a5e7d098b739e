"""MuSiQue's gold steps as sub-questions that a person would ask."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from lab.sources import Guard, Passage, Question, Step, words_of

__all__ = ("Half", "Halves", "as_phrase", "as_question", "halves_of")

_RELATIONS: Final[dict[str, tuple[str, str]]] = {
    "performer": ("Who is the performer of {x}?", "the performer of {x}"),
    "cast member": ("Which actor appears in {x}?", "the actor who appears in {x}"),
    "located in the administrative territorial entity": (
        "In which administrative area is {x} located?",
        "the administrative area where {x} is located",
    ),
    "shares border with": ("What shares a border with {x}?", "the place that borders {x}"),
    "place of birth": ("Where was {x} born?", "the place where {x} was born"),
    "place of death": ("Where did {x} die?", "the place where {x} died"),
    "headquarters location": (
        "Where are the headquarters of {x}?",
        "the place where {x} has its headquarters",
    ),
    "country": ("In which country is {x}?", "the country where {x} is"),
    "capital of": ("What is {x} the capital of?", "the area whose capital is {x}"),
    "educated at": ("Where was {x} educated?", "the school that educated {x}"),
    "work location": ("Where did {x} work?", "the place where {x} worked"),
    "residence": ("Where did {x} live?", "the place where {x} lived"),
    "employer": ("For whom did {x} work?", "the employer of {x}"),
    "located on terrain feature": ("On what is {x} located?", "the river where {x} is located"),
    "location of formation": ("Where was {x} formed?", "the place where {x} was formed"),
    "licensed to broadcast to": ("Where does {x} broadcast?", "the place where {x} broadcasts"),
    "award received": ("Which award did {x} receive?", "the award that {x} received"),
}
_MADE_BY: Final = frozenset(
    {"author", "composer", "creator", "director", "father", "mother", "spouse", "producer"}
    | {"operator", "sibling", "founder", "owner", "child", "performer"}
)
_REFERENCE: Final = re.compile(r"#(\d)")


@dataclass(frozen=True)
class Half:
    """One gold sub-question with its answer and passage (None if training may not read it)."""

    question: str
    answer: str
    passage: Passage | None


@dataclass(frozen=True)
class Halves:
    """A compound question and its two gold halves.

    Attributes:
        question: The compound question.
        answer: Its answer.
        first: The first half.
        second: The second half as it is asked beside the first: what the first would find is
            described in it.
        filled: The second half as it is asked when the first is answered.
        is_bridge: Whether the second half needs the first one's answer.
        origin: The set and the question.
    """

    question: str
    answer: str
    first: Half
    second: str
    filled: Half
    is_bridge: bool
    origin: str


def halves_of(
    question: Question, passages: Mapping[str, Passage], guard: Guard
) -> Iterator[Halves]:
    """The gold steps of a question, two by two: a pair is a bridge of its own.

    Pairs of a longer chain have no whole question in the set; a two-step question has.
    """
    steps = question.steps
    if len(steps) < 2 or not all(guard.allows_question(step.question) for step in steps):
        return
    answers = [step.answer for step in steps]
    for at in range(1, len(steps)):
        before, step = steps[at - 1], steps[at]
        raw = _REFERENCE.sub(lambda found: answers[int(found.group(1)) - 1], before.question)
        description = as_phrase(raw)
        first = _half(raw, before, question, passages)
        text = _REFERENCE.sub(lambda found: answers[int(found.group(1)) - 1], step.question)
        filled = _half(text, step, question, passages)
        named = f"#{at}" in step.question or before.answer in step.question
        if not named or not description or len(before.answer) < 2:
            continue
        second = as_question(step.question.replace(f"#{at}", description))
        second = second.replace(before.answer, description)
        if _REFERENCE.search(second):
            continue
        whole = question.question if len(steps) == 2 else second
        yield Halves(
            question=whole,
            answer=step.answer,
            first=first,
            second=second,
            filled=filled,
            is_bridge=True,
            origin=f"musique:{question.id}",
        )


def as_question(step: str) -> str:
    """A step as a question: MuSiQue writes many as `subject >> relation`."""
    subject, arrow, relation = (part.strip() for part in step.partition(">>"))
    if arrow:
        form = _RELATIONS.get(relation, (f"{_who(relation)} the {relation} of {{x}}?", ""))[0]
        return form.format(x=subject)
    text = re.sub(r"\s+([?.,'])", r"\1", " ".join(step.split()))
    text = text[:1].upper() + text[1:]
    return text if text.endswith("?") else text.rstrip(".") + "?"


def as_phrase(step: str) -> str:
    """What a step asks for, as a phrase that can stand in a question; "" if no rule fits."""
    subject, arrow, relation = (part.strip() for part in step.partition(">>"))
    if arrow:
        form = _RELATIONS.get(relation, ("", f"the {relation} of {{x}}"))[1]
        return form.format(x=subject)
    text = as_question(step)[:-1]
    for pattern, phrase in _PHRASES:
        if found := re.match(pattern, text, re.IGNORECASE):
            return found.expand(phrase).strip()
    return ""


_PHRASES: Final = (
    (r"(?:who|what) (?:is|was|are|were) (the .+)$", r"\1"),
    (r"who (?:does|did|do|is|are|were) .*$", ""),
    (r"who (\w+ .+)$", r"the person who \1"),
    (r"(?:in |on )?(?:what|which) (city|country|state|county|place|town|region|year) "
     r"(is|was) (.+?) (located|formed|born|founded|based)(?: in)?$", r"the \1 where \3 \2 \4"),
    (r"(?:in |on )?(?:what|which) (\w+) (?:is|was) (.+?) (?:in|on|from)$", r"the \1 of \2"),
    (r"(?:what|which) (\w+) ((?:is|was|has|had|owns|publishes|controls|makes|\w+ed) .+)$",
     r"the \1 that \2"),
    (r"where (is|was) (.+?) (located|born|formed|held|found|based)$", r"the place where \2 \1 \3"),
    (r"where (?:is|was) (.+)$", r"the place of \1"),
    (r"where (?:did|does) (.+) (die|live|meet|work|come from)$", r"the place of \1"),
)  # fmt: skip


def _who(relation: str) -> str:
    return "Who is" if relation in _MADE_BY else "What is"


def _half(raw: str, step: Step, question: Question, passages: Mapping[str, Passage]) -> Half:
    return Half(as_question(raw), step.answer, _passage(raw, step, question, passages))


def _passage(
    raw: str, step: Step, question: Question, passages: Mapping[str, Passage]
) -> Passage | None:
    """The step's passage; if the set names none, the passage with the answer and the subject."""
    if step.supporting_id:
        return passages.get(step.supporting_id)
    asked = set(words_of(raw))
    best: tuple[int, Passage] | None = None
    for passage_id in question.supporting_ids:
        passage = passages.get(passage_id)
        whole = f"{passage.title} {passage.text}" if passage else ""
        if passage and step.answer.lower() in whole.lower():
            shared = len(asked & set(words_of(whole)))
            if best is None or shared > best[0]:
                best = (shared, passage)
    return best[1] if best else None
