"""A value function for models behind a server: how like the answer a coalition's answer is.

Con-RAG's contributions with token probabilities need a model's inside. Here v(S) is the token F1
between the model's answer under the prompt that holds only S and its own answer from (q, D), so
that v(qD) is 1. Each call goes through the ledger.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from hopyard.classifiers.contributions import Answered, CoalitionValues, Reading
from hopyard.measures.answers import token_f1
from hopyard.models.call import call_model, model_caller
from hopyard.models.prompt import Prompt
from hopyard.prompts.answer import ANSWER, Answer
from hopyard.prompts.coalitions import COALITION, Coalition, coalition_values
from hopyard.prompts.direct import DIRECT
from hopyard.prompts.passages import one_line
from hopyard.state.errors import ModelOutputError
from hopyard.state.settings import Context

__all__ = ("AnswerF1",)

_OTHERS: tuple[Coalition, ...] = ("none", "question", "passages")


class AnswerF1:
    """Answers and values by the run's chat model."""

    name = "answer-f1"

    def __init__(self, context: Context, run: str) -> None:
        """Take the model from the context.

        Args:
            context: The run's settings.
            run: The name that the calls are counted under.
        """
        self._context, self._run = context, run

    @property
    def identity(self) -> str:
        """The name under which the ledger keeps the model's answers."""
        return model_caller(self._context.model).provider.identity

    async def answer(self, readings: Sequence[Reading]) -> list[Answered | None]:
        """Read, as the product does; the ledger is shared with it."""
        asked = [
            self._ask(ANSWER, coalition_values("both", one_line(one.question), one.passages))
            for one in readings
        ]
        answers = await asyncio.gather(*asked)
        return [
            None if answer is None else Answered(reading, answer)
            for reading, answer in zip(readings, answers, strict=True)
        ]

    async def answer_directly(self, questions: Sequence[str]) -> list[str | None]:
        """Answer as the product does without retrieval."""
        asked = [self._ask(DIRECT, {"question": one_line(one)}) for one in questions]
        return await asyncio.gather(*asked)

    async def values(self, answered: Sequence[Answered]) -> list[CoalitionValues | None]:
        """Three calls a question: what it answers from both is known."""
        return await asyncio.gather(*(self._values(one) for one in answered))

    async def _values(self, answered: Answered) -> CoalitionValues | None:
        reading = answered.reading
        held = [
            coalition_values(one, one_line(reading.question), reading.passages) for one in _OTHERS
        ]
        given = await asyncio.gather(*(self._ask(COALITION, values) for values in held))
        scores = [token_f1(one, answered.answer) for one in given if one is not None]
        if len(scores) < len(_OTHERS):
            return None
        none, question, passages = scores
        return CoalitionValues(none, question, passages, both=1.0)

    async def _ask(self, prompt: Prompt[Answer], values: dict[str, str]) -> str | None:
        try:
            output = await call_model(prompt, values, context=self._context, run=self._run)
        except ModelOutputError:
            return None
        return output.answer
