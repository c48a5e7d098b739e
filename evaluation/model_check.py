"""Ten small questions over a short text: what a model can do, and which settings suit it.

The text is invented, so no model knows it. All questions are asked once, without retries, in the
prompts of `capable` models: the answers show whether a model can do with them. The built-in model
gets its own prompts, and no question about a next search, which it is never asked for.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from time import monotonic
from typing import Any, Final

from hopyard.models.prompt import Prompt
from hopyard.nodes.lifecycle import new_run_id
from hopyard.nodes.resources import Resources
from hopyard.nodes.run import Run
from hopyard.prompts.answer import ANSWER, writing
from hopyard.prompts.passages import passage_lines
from hopyard.prompts.strategies.chain import CHAIN_STEP
from hopyard.state.errors import CallFailedError, HopyardError, ModelOutputError
from hopyard.state.settings.fields import AUTO, Context, Profile, profile_of

LIMIT: Final = 180.0
"""Seconds for all questions together. A question without an answer by then does not count."""
_TEXT: Final = (
    (
        "Alder Mill",
        "Alder Mill is a paper mill in Northbrook. Petra Lindqvist founded it in 1907. It makes "
        "blotting paper and maps.",
    ),
    (
        "Petra Lindqvist",
        "Petra Lindqvist was an engineer from Tarnow Bay. She repaired bridges for eleven years "
        "before she opened a mill.",
    ),
    (
        "Northbrook",
        "Northbrook is a town of 4,300 inhabitants on the river Sarn. Its mayor is Tom Okafor.",
    ),
    ("Sarn", "The Sarn is 212 kilometres long. It rises at Mount Hollin and ends in Lake Quell."),
    (
        "Bootshaus am Quellsee",
        "Das Bootshaus am Quellsee wurde 1931 gebaut. Sein Dach ist grün, und im Winter dient es "
        "als Schule.",
    ),
)
_NOT_SAID: Final = re.compile(r"\b(?:unknown|not|no)\b", re.I)


class Skill(StrEnum):
    """An ability that a question tests. The value names it in tables."""

    SCHEMA = "schema kept"
    FACT = "fact read"
    JOINED = "two facts joined"
    UNANSWERABLE = "unanswerable recognised"
    LANGUAGE = "language kept"
    SEARCH = "next search named"


class Outcome(StrEnum):
    """The outcome of one question."""

    RIGHT = "right"
    WRONG = "wrong"
    UNFIT = "unfit"
    """The output did not fit the schema."""
    NONE = "none"
    """There was no answer in time, or an error of the server."""


@dataclass(frozen=True)
class Task:
    """A question.

    Attributes:
        shown: The passages shown by their place in the text, from 0; all where it is empty.
        words: Words of a right answer or a right search; "" if no answer can be right.
    """

    skill: Skill
    question: str
    words: str = ""
    shown: tuple[int, ...] = ()


TASKS: Final = (
    Task(Skill.FACT, "In which year was Alder Mill founded?", "1907"),
    Task(Skill.FACT, "How long is the Sarn?", "212"),
    Task(Skill.FACT, "Who is the mayor of Northbrook?", "Okafor"),
    Task(Skill.JOINED, "Where is the founder of Alder Mill from?", "Tarnow Bay"),
    Task(Skill.JOINED, "In which lake does the river of Northbrook end?", "Quell"),
    Task(Skill.UNANSWERABLE, "How many people work at Alder Mill?"),
    Task(Skill.UNANSWERABLE, "Who owns the boathouse at Lake Quell?"),
    Task(Skill.LANGUAGE, "Welche Farbe hat das Dach des Bootshauses?", "grün"),
    Task(Skill.SEARCH, "Where is the founder of Alder Mill from?", "Lindqvist", (0,)),
    Task(Skill.SEARCH, "In which lake does the river of Northbrook end?", "Sarn", (2,)),
)


@dataclass(frozen=True)
class SkillResult:
    """How often a skill was shown, and how often it was asked for with an answer in time."""

    skill: Skill
    right: int
    asked: int


@dataclass(frozen=True)
class ModelCheck:
    """The outcome of each task, in their order.

    Attributes:
        profile: Whose prompts were used.
    """

    outcomes: Sequence[Outcome]
    seconds: float
    profile: Profile = "capable"

    @property
    def answered(self) -> int:
        """Questions that got an output in time."""
        return sum(outcome is not Outcome.NONE for outcome in self.outcomes)

    @property
    def skills(self) -> list[SkillResult]:
        """The results, the schema first: every question tests it."""
        rows = list(zip(TASKS, self.outcomes, strict=False))
        told = [(task.skill, outcome) for task, outcome in rows if outcome is not Outcome.NONE]
        fit = sum(outcome is not Outcome.UNFIT for _, outcome in told)
        results = [SkillResult(Skill.SCHEMA, fit, len(told))]
        for skill in dict.fromkeys(task.skill for task, _ in rows):
            own = [outcome for name, outcome in told if name is skill]
            results.append(SkillResult(skill, own.count(Outcome.RIGHT), len(own)))
        return results

    @property
    def recommendation(self) -> tuple[str, str, str]:
        """Profile, strategy, and the reason.

        `single` if more than one output in five does not fit, or most facts are missed. `capable`
        if all questions were answered in time, all outputs but one fit, and the model reads, joins
        facts and names a next search. In between `small`, with its default strategy.
        """
        found = {result.skill: result for result in self.skills}
        schema, fact = found[Skill.SCHEMA], found[Skill.FACT]
        if not self.answered:
            return "auto", "auto", "no question was answered in time"
        if self.profile == "builtin":
            return "builtin", "auto", "its prompts are written for it"
        if 5 * schema.right < 4 * schema.asked:
            return "small", "single", _of(schema)
        if 2 * fact.right < fact.asked:
            return "small", "single", _of(fact)
        weak = [
            _of(found[skill])
            for skill, most in ((Skill.SCHEMA, 1), (Skill.FACT, 1), (Skill.JOINED, 1))
            if found[skill].asked - found[skill].right > most
        ]
        if self.answered < len(self.outcomes):
            weak.append(f"{self.answered} of {len(self.outcomes)} answered in time")
        elif not found[Skill.SEARCH].right:
            weak.append(_of(found[Skill.SEARCH]))
        if weak:
            return "small", "auto", "; ".join(weak)
        return "capable", "auto", "it keeps to schemas, joins facts and names the next search"


def _of(result: SkillResult) -> str:
    return f"{result.skill.value}: {result.right} of {result.asked}"


async def check_model(context: Context, resources: Resources, limit: float = LIMIT) -> ModelCheck:
    """Ask the questions, as many at once as the model's server takes.

    Args:
        context: The settings; the model counts.
        limit: Seconds for all questions together.
    """
    # A seed of its own: an answer from the ledger proves nothing.
    seed = int.from_bytes(os.urandom(3))
    named = context.model_copy(update={"profile": AUTO})
    profile: Profile = "builtin" if profile_of(named) == "builtin" else "capable"
    fresh = {"seed": seed, "timeout": limit, "profile": profile}
    run = Run(new_run_id(), context.model_copy(update=fresh), resources)
    started = monotonic()
    tasks = [task for task in TASKS if profile == "capable" or task.skill is not Skill.SEARCH]
    asked = [asyncio.create_task(_outcome(run, task)) for task in tasks]
    _, late = await asyncio.wait(asked, timeout=limit)
    for task in late:
        task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    outcomes = [Outcome.NONE if task in late else task.result() for task in asked]
    return ModelCheck(outcomes, round(monotonic() - started, 1), profile)


async def _outcome(run: Run, task: Task) -> Outcome:
    chain = task.skill is Skill.SEARCH
    prompt: Prompt[Any] = CHAIN_STEP if chain else ANSWER
    try:
        caller, worded = await run.caller(), prompt.of(profile_of(run.settings))
        output = await caller.call(worded, _values(run, task), run.settings, run.id, retries=0)
    except CallFailedError:
        return Outcome.NONE
    except ModelOutputError:
        return Outcome.UNFIT
    except HopyardError:
        return Outcome.NONE
    right = _names_search(output, task) if chain else _answers(output, task)
    return Outcome.RIGHT if right else Outcome.WRONG


def _values(run: Run, task: Task) -> Mapping[str, str]:
    shown = task.shown or range(len(_TEXT))
    return {
        "passages": passage_lines([_TEXT[place] for place in shown]),
        "question": task.question,
        "style": writing(run.settings.answer),
        "findings": "none",
        "searches": f"- {task.question}",
        "left": "Searches left: 3.",
    }


def _names_search(output: Any, task: Task) -> bool:
    return output.kind == "search" and any(task.words in text for text in output.searches)


def _answers(output: Any, task: Task) -> bool:
    if not task.words:
        return _NOT_SAID.search(output.answer) is not None
    return task.words.casefold() in output.answer.casefold()
