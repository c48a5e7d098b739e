"""Ask the model for the questions of passages: many at once, each kept as soon as it is there.

What comes back from a model is a list of strings. Only those that can serve as questions are
taken; when they are too few, the model is asked once more for the passage. A passage of which
still too few in-coming questions came is reachable through its own text: its title, and the
beginning of title and text, stand in for in-coming questions. A question about what the passage
is about shares the title's keywords.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from hopyard.indexes.build_context import BuildContext, BuildOptions, ModelCall
from hopyard.indexes.kinds.passage_graph import PassageGraphSettings
from hopyard.indexes.kinds.passage_graph.question_store import Author, QuestionStore, Written
from hopyard.indexes.records import Passage
from hopyard.indexes.threads import in_thread
from hopyard.prompts.passage_graph import (
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
from hopyard.state.errors import BudgetExceededError, ModelOutputError, ModelUnreachableError
from hopyard.state.settings import Context, Profile, profile_of

__all__ = ("Missing", "Writing", "asking_settings", "author_of", "questions_of", "usable")

logger = logging.getLogger(__name__)

EVIDENCE: Final = 50
"""Passages asked before a rate of failures is believed and the rest is spared."""

_QUESTION_MARKS: Final = ("?", "？", "؟", "\N{GREEK QUESTION MARK}")


class Missing(NamedTuple):
    """A content that has no questions yet, and a passage that holds it."""

    content_hash: str
    passage_id: str


def author_of(options: BuildOptions) -> Author:
    """Who would write questions in a build. It may open the chat model."""
    wording = QUESTIONS.of(profile_of(options.settings))
    return Author(wording.version, options.caller.provider.identity)


def asking_settings(settings: Context) -> Context:
    """The settings of a run that writes questions.

    It has no closing call, so the place that a budget keeps for such a call is given back to it.
    """
    own, budget = PassageGraphSettings.of(settings), settings.budget
    if budget.calls:
        budget = budget.model_copy(update={"calls": budget.calls + 1})
    return settings.model_copy(
        update={
            "budget": budget,
            "temperature": own.temperature,
            "frequency_penalty": own.penalty_for(profile_of(settings)),
        }
    )


async def questions_of(
    passage: Passage, *, call: ModelCall, author: Author, settings: Context
) -> Written:
    """The questions that the model writes for one passage, asked twice at most.

    Args:
        passage: The passage.
        call: Asks the model, with `asking_settings`.
        author: Who writes.
        settings: The settings of the build.

    Raises:
        ModelOutputError: The model gave nothing usable.
        BudgetExceededError: The budget is used up; what was paid for is in the ledger.
        ModelUnreachableError: The model does not answer.
    """
    characters = PassageGraphSettings.of(settings).passage_characters
    profile = profile_of(settings)
    values = question_values(passage.full_title, snippet(passage.text, characters))
    outputs = [await call(QUESTIONS, values, step=passage.id)]
    incoming, outcoming = usable(outputs, profile)
    if _too_few(incoming, outcoming):
        values["again"] = again(len(incoming), len(outcoming))
        try:
            outputs.append(await call(QUESTIONS, values, step=passage.id))
        except ModelOutputError as error:
            logger.info("passage %s, asked again: %s", passage.id, error)
        incoming, outcoming = usable(outputs, profile)
    too_few = _too_few(incoming, outcoming)
    if len(incoming) < MIN_INCOMING:
        incoming += _own_text(passage)
    return Written(author, "too few" if too_few else "enough", tuple(incoming), tuple(outcoming))


def usable(outputs: Sequence[PassageQuestions], profile: Profile) -> tuple[list[str], list[str]]:
    """The in-coming and the out-coming questions that can serve, each once, in order.

    Left out are strings that are no question, questions of the prompt's own examples, which a
    small model repeats, and out-coming questions that are in-coming ones too: the passage
    answers them.
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


@dataclass
class Writing:
    """One round of writing questions. `run` does it; afterwards the fields tell how it went."""

    context: BuildContext
    store: QuestionStore
    author: Author
    contents: int
    """Distinct contents in the corpus, those that have questions included."""
    asked: int = 0
    failed: dict[str, Written] = field(default_factory=dict)
    """The contents of which nothing usable came, by hash; kept by nobody until the caller does."""
    _total: int = 0
    _stopped: bool = False
    """Whether the budget ended it."""
    _error: ModelUnreachableError | None = None
    _why: str = ""

    async def run(self, missing: Sequence[Missing]) -> None:
        """Ask for the questions of every content, and keep them.

        Raises:
            ModelUnreachableError: The model stopped answering; what is written is kept.
            ModelOutputError: Too large a share of the passages failed.
        """
        self._total = len(missing)
        self._call = self.context.call(asking_settings(self.context.options.settings))
        await self.context.map(self._write, missing)
        if self._error is not None:
            raise self._error
        if self._too_many_failed or self._failing:
            raise self._failure()

    async def _write(self, missing: Missing) -> None:
        # Whoever stops the round lets the calls under way end: they are paid for.
        if self._stopped or self._error is not None or self._failing:
            return
        corpus = self.context.corpus
        self.context.progress("questions", self.asked, self._total)
        (passage,) = await in_thread(corpus.get, [missing.passage_id])
        try:
            written = await questions_of(
                passage,
                call=self._call,
                author=self.author,
                settings=self.context.options.settings,
            )
        except BudgetExceededError:
            self._stopped = True
        except ModelOutputError as error:
            self.asked += 1
            self.failed[missing.content_hash] = self._nothing(passage)
            self._why = self._why or str(error)
        except ModelUnreachableError as error:
            self._error = self._error or error
        else:
            self.asked += 1
            await in_thread(self.store.put, [(missing.content_hash, written)], corpus.generation)
        self.context.progress("questions", self.asked, self._total)

    def _nothing(self, passage: Passage) -> Written:
        return Written(self.author, "failed", _own_text(passage), ())

    @property
    def _settings(self) -> PassageGraphSettings:
        return PassageGraphSettings.of(self.context.options.settings)

    @property
    def _failing(self) -> bool:
        """Whether what was asked so far says that the rest would fail too."""
        allowed = self._settings.max_failure_rate * self.asked
        return self.asked >= EVIDENCE and len(self.failed) > allowed

    @property
    def _too_many_failed(self) -> bool:
        """Whether too large a share of the whole graph failed: one addition may fail alone."""
        return len(self.failed) > self._settings.max_failure_rate * self.contents

    def _failure(self) -> ModelOutputError:
        return ModelOutputError(
            f"The prompt {QUESTIONS.name!r} (version {self.author.version}) failed for "
            f"{len(self.failed)} of {self.asked} passages, more than "
            f"passage_graph.max_failure_rate={self._settings.max_failure_rate:g} allows; "
            f"finished questions are kept: use a larger model with --model, or allow more "
            f"failures with "
            f"--set passage_graph.max_failure_rate=0.5. The first failure: {self._why}"
        )


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
