"""A value function for models behind a server, which give no token probabilities.

v(S) is the token F1 between the model's answer from only S and its own answer from (q, D), so v(qD)
is 1. From the question alone it answers with the product's prompt without documents, because the
other prompt asks only for what passages say. Each call goes through the ledger.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from hopyard.classifiers.contributions import CoalitionValues, OwnAnswer, Reading
from hopyard.measures.answers import token_f1
from hopyard.models.calls.call import ModelCaller
from hopyard.models.prompt import Prompt
from hopyard.prompts.answer import ANSWER, writing
from hopyard.prompts.judging.coalitions import COALITION, coalition_values
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.direct import DIRECT
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings.fields import AnswerSettings, Context, profile_of

_SHORT = AnswerSettings(style="short")
"""F1 compares short answers."""


class AnswerF1:
    """Answers and values by the run's chat model."""

    name = "answer-f1"

    def __init__(self, caller: ModelCaller, context: Context, run: str) -> None:
        """Use a chat model.

        Args:
            run: The ledger counts the calls under this name.
        """
        self._caller, self._context, self._run = caller, context, run

    @property
    def identity(self) -> str:
        """The model's name in the ledger."""
        return self._caller.provider.identity

    async def answer(self, readings: Sequence[Reading]) -> list[OwnAnswer | None]:
        """Answer with the product's prompt; both share the ledger."""
        answers = await asyncio.gather(
            *(
                self._ask(ANSWER, coalition_values("both", one_line(q.question), q.passages))
                for q in readings
            )
        )
        return [
            None if answer is None else OwnAnswer(reading, answer)
            for reading, answer in zip(readings, answers, strict=True)
        ]

    async def answer_directly(self, questions: Sequence[str]) -> list[str | None]:
        """Answer as the product does without retrieval."""
        asked = (self._ask(DIRECT, {"question": one_line(text)}) for text in questions)
        return await asyncio.gather(*asked)

    async def values(self, answers: Sequence[OwnAnswer]) -> list[CoalitionValues | None]:
        """Ask three calls a question; the answer from both is known."""
        return await asyncio.gather(*(self._values(own) for own in answers))

    async def _values(self, own: OwnAnswer) -> CoalitionValues | None:
        question, passages = one_line(own.reading.question), own.reading.passages
        given = await asyncio.gather(
            self._ask(DIRECT, {"question": question}),
            *(
                self._ask(COALITION, coalition_values(name, question, passages))
                for name in ("none", "passages")
            ),
        )
        scores = [token_f1(answer, own.answer) for answer in given if answer is not None]
        if len(scores) < len(given):
            return None
        question_alone, none, passages_alone = scores
        return CoalitionValues(none, question_alone, passages_alone, both=1.0)

    async def _ask(self, prompt: Prompt[Any], values: dict[str, str]) -> str | None:
        worded = prompt.of(profile_of(self._context))
        given = values | {"style": writing(_SHORT, passages="passages" in values)}
        try:
            output = await self._caller.call(worded, given, self._context, self._run)
        except ModelOutputError:
            return None
        return str(output.answer)
