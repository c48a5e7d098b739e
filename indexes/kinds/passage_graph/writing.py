"""Ask the model for the questions of passages: many at once, each kept as soon as it is there.

A model returns a list of strings. Only those that can serve as questions are taken; when they are
too few, the model is asked once more for the passage. A passage that still has too few in-coming
questions is reachable through its own text: its title, and the beginning of title and text, replace
in-coming questions. A question about what the passage is about shares the title's keywords.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from pydantic import BaseModel

from hopyard.indexes.build_context import ModelCall
from hopyard.indexes.corpus.records import Passage
from hopyard.indexes.written.store import WrittenStore
from hopyard.indexes.written.writer import Writer
from hopyard.models.prompt import Prompt
from hopyard.prompts.indexes.passage_graph import (
    LONGEST,
    MIN_INCOMING,
    MIN_OUTCOMING,
    QUESTIONS,
    PassageQuestions,
    again,
    limits_of,
    question_values,
)
from hopyard.prompts.passages import one_line, snippet
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings.fields import Profile, profile_of

QUESTIONS_FILE: Final = "questions.sqlite"

ENOUGH: Final = "enough"
"""The outcome of a passage for which the model wrote as many questions as the paper asks for."""
TOO_FEW: Final = "too few"


class WrittenQuestions(BaseModel, frozen=True):
    """The questions of one passage."""

    incoming: tuple[str, ...]
    """Never empty: where the model gave too few, the passage's own text is among them."""
    outcoming: tuple[str, ...]


class QuestionStore(WrittenStore[WrittenQuestions]):
    """The questions of passages, by content hash."""

    file_name: ClassVar[str] = QUESTIONS_FILE
    content: ClassVar[type[BaseModel]] = WrittenQuestions


logger = logging.getLogger(__name__)

_CHARACTERS: Final = 2400
"""Characters of a passage in a prompt at most."""
_QUESTION_MARKS: Final = ("?", "？", "؟", "\N{GREEK QUESTION MARK}")


class QuestionWriter(Writer[Passage, WrittenQuestions]):
    """Asks for the questions of a passage, twice at most."""

    prompt: ClassVar[Prompt[Any]] = QUESTIONS
    written: ClassVar[str] = "questions"
    store: ClassVar[type[WrittenStore[Any]]] = QuestionStore
    temperature: ClassVar[float] = 0.4  # at 0 a small model repeats itself

    async def write(self, passage: Passage, call: ModelCall) -> tuple[str, WrittenQuestions]:
        """Ask for questions, and once more if too few of them are usable."""
        text = snippet(passage.text, _CHARACTERS)
        values = question_values(passage.full_title, text)
        profile = profile_of(self.settings)
        outputs = [await call(QUESTIONS, values, step=passage.id)]
        incoming, outcoming = usable(outputs, profile)
        if _too_few(incoming, outcoming):
            values["again"] = again(len(incoming), len(outcoming))
            try:
                outputs.append(await call(QUESTIONS, values, step=passage.id))
            except ModelOutputError as error:
                logger.info("passage %s, asked again: %s", passage.id, error)
            incoming, outcoming = usable(outputs, profile)
        outcome = TOO_FEW if _too_few(incoming, outcoming) else ENOUGH
        if len(incoming) < MIN_INCOMING:
            incoming += _own_text(passage)
        return outcome, WrittenQuestions(incoming=tuple(incoming), outcoming=tuple(outcoming))

    def nothing(self, passage: Passage) -> WrittenQuestions:
        """The passage's own text, so that it stays reachable."""
        return WrittenQuestions(incoming=_own_text(passage), outcoming=())


def usable(outputs: Sequence[PassageQuestions], profile: Profile) -> tuple[list[str], list[str]]:
    """The in-coming and the out-coming questions that can serve, each once, in order.

    Left out are strings that are no question, questions of the prompt's own examples, which a
    small model repeats, and out-coming questions that are also in-coming: the passage answers them.
    """
    limits = limits_of(profile)
    seen = {
        question.casefold()
        for example in QUESTIONS.of(profile).examples
        for question in (*example.output.incoming, *example.output.outcoming)
    }
    incoming = _distinct(
        [text for output in outputs for text in output.incoming], seen, limits.longest
    )
    outcoming = _distinct(
        [text for output in outputs for text in output.outcoming], seen, limits.longest
    )
    return incoming[: limits.incoming], outcoming[: limits.outcoming]


def _too_few(incoming: Sequence[str], outcoming: Sequence[str]) -> bool:
    return len(incoming) < MIN_INCOMING or len(outcoming) < MIN_OUTCOMING


def _distinct(texts: Sequence[str], seen: set[str], longest: int) -> list[str]:
    found = []
    for text in map(one_line, texts):
        folded = text.casefold()
        if text.endswith(_QUESTION_MARKS) and len(text) <= longest and folded not in seen:
            seen.add(folded)
            found.append(text)
    return found


def _own_text(passage: Passage) -> tuple[str, ...]:
    title, text = one_line(passage.full_title), one_line(passage.text)
    if not title:
        return (snippet(text, LONGEST),)
    return (snippet(title, LONGEST), snippet(f"{title}: {text}", LONGEST))
