"""The paper's value function: how probable the answer's tokens are under a coalition's prompt.

v(S) is the sum of the probabilities (not of their logarithms) of the tokens of the model's own
answer, teacher-forced under the prompt that holds only S (Con-RAG, section on contributions).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.messages import BaseMessage

from hopyard.classifiers.causal import Causal
from hopyard.classifiers.contributions import Answered, CoalitionValues, Reading
from hopyard.classifiers.prefix import PrefixRows, common_prefix
from hopyard.prompts.coalitions import COALITION, COALITIONS, Coalition, coalition_values
from hopyard.prompts.direct import DIRECT
from hopyard.prompts.passages import one_line

__all__ = ("ANSWER_TOKENS", "TokenProbability", "probability_sum")

ANSWER_TOKENS: Final = 32
"""Tokens of an answer at most: short answers are asked for, and a longer one is cut."""
_ROLES: Final = {"system": "system", "human": "user", "ai": "assistant"}
_OPENED: Final = '{"answer":"'
"""How every output begins, in the compact form of the examples: it is written for the model."""
_WRITTEN: Final = (("What is one?", "[1] One: a number."), ("Where to?", "(the other)"))
"""Two prompts whose common beginning is that of every prompt."""


_END: Final = re.compile(r'((?:[^"\\]|\\.)*)"', re.DOTALL)
"""An answer up to the quote that closes it; an escaped quote does not."""


def probability_sum(logits: Any, tokens: Sequence[int]) -> float:
    """Σ p(token | prompt, tokens before), Con-RAG's v.

    Args:
        logits: [n, vocabulary], those from which each token was to be chosen.
        tokens: [n], the answer's token ids.

    Returns:
        Between 0 and n.
    """
    chances = logits.float().softmax(-1)
    return math.fsum(float(chances[place, token]) for place, token in enumerate(tokens))


class TokenProbability:
    """Answers and values by one model in PyTorch, several questions in a padded batch.

    What prompts share is computed once: instructions and examples for all questions, and a
    question's passages for its answer and for all four coalitions.
    """

    name = "token-probability"

    def __init__(self, causal: Causal) -> None:
        self._causal = causal
        one, other = (self._prompt("both", Reading(*pair)) for pair in _WRITTEN)
        self._base = PrefixRows.of(causal.model, one[: common_prefix(one, other)])
        self._direct: PrefixRows | None = None
        self._read: tuple[list[Reading], PrefixRows] = ([], self._base)

    @property
    def identity(self) -> str:
        """The model's name."""
        return self._causal.identity

    async def answer(self, readings: Sequence[Reading]) -> list[Answered | None]:
        """Read greedily, as the product does at temperature 0."""
        rows = self._rows(readings, copies=1)
        prompts = [self._prompt("both", reading) for reading in readings]
        tokens = self._written(rows, prompts)
        return [
            Answered(reading, text, tuple(written)) if written else None
            for reading, (written, text) in zip(readings, tokens, strict=True)
        ]

    async def answer_directly(self, questions: Sequence[str]) -> list[str | None]:
        """Answer with the prompt that the product uses without retrieval."""
        if self._direct is None:
            one, other = (self._ids(DIRECT.messages({"question": q})) for q, _ in _WRITTEN)
            self._direct = PrefixRows.of(self._causal.model, one[: common_prefix(one, other)])
        prompts = [self._ids(DIRECT.messages({"question": one_line(q)})) for q in questions]
        rows = self._direct.chosen([0] * len(prompts))
        return [text or None for _, text in self._written(rows, prompts)]

    async def values(self, answered: Sequence[Answered]) -> list[CoalitionValues | None]:
        """The four coalitions of every question in one padded batch."""
        rows = self._rows([one.reading for one in answered], copies=len(COALITIONS))
        wanted = [
            [*self._prompt(coalition, one.reading), *one.tokens]
            for one in answered
            for coalition in COALITIONS
        ]
        longest = max(len(one.tokens) for one in answered)
        logits = rows.read(wanted, keep=longest + 1)
        sums = []
        for number in range(len(wanted)):
            tokens = answered[number // len(COALITIONS)].tokens
            sums.append(probability_sum(logits[number, -len(tokens) - 1 : -1], tokens))
        fours = zip(*[iter(sums)] * len(COALITIONS), strict=True)
        return [CoalitionValues(*four) for four in fours]

    def _rows(self, readings: Sequence[Reading], *, copies: int) -> PrefixRows:
        """Rows of what a question's prompts with and without it share, read once a batch."""
        if not set(readings) <= set(self._read[0]):
            shared = []
            for reading in readings:
                both, passages = (self._prompt(one, reading) for one in ("both", "passages"))
                shared.append(both[: common_prefix(both, passages)])
            rows = self._base.chosen([0] * len(readings))
            rows.read(shared, keep=1)
            self._read = list(readings), rows
        known, rows = self._read
        return rows.chosen([known.index(one) for one in readings for _ in range(copies)])

    def _written(
        self, rows: PrefixRows, prompts: Sequence[Sequence[int]]
    ) -> list[tuple[list[int], str]]:
        """What the model writes after each prompt: the answer's tokens, and its text.

        An answer ends at the closing quote. A token that holds the quote and a mark before it gives
        the mark to the text, and is none of the answer's tokens.
        """
        logits = rows.read(prompts, keep=1)
        written: list[list[int]] = [[] for _ in prompts]
        texts: dict[int, str] = {}
        for _ in range(ANSWER_TOKENS):
            chosen = logits[:, -1].argmax(-1).tolist()
            for number in [one for one in range(len(prompts)) if one not in texts]:
                text = self._decoded([*written[number], chosen[number]])
                if end := _END.match(text):
                    texts[number] = end[1]
                elif chosen[number] in self._causal.tokenizer.all_special_ids:
                    texts[number] = self._decoded(written[number])
                else:
                    written[number].append(chosen[number])
            if len(texts) == len(prompts):
                break
            logits = rows.read(
                [[*one, *tokens] for one, tokens in zip(prompts, written, strict=True)], keep=1
            )
        for number, tokens in enumerate(written):
            texts.setdefault(number, self._decoded(tokens))
        return [(tokens, _unescaped(texts[number])) for number, tokens in enumerate(written)]

    def _decoded(self, tokens: Sequence[int]) -> str:
        text: str = self._causal.tokenizer.decode(list(tokens), clean_up_tokenization_spaces=False)
        return text

    def _prompt(self, coalition: Coalition, reading: Reading) -> list[int]:
        values = coalition_values(coalition, one_line(reading.question), reading.passages)
        return self._ids(COALITION.messages(values))

    def _ids(self, messages: Sequence[BaseMessage]) -> list[int]:
        turns = [{"role": _ROLES[one.type], "content": str(one.content)} for one in messages]
        tokenizer = self._causal.tokenizer
        text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        return list(tokenizer(text + _OPENED, add_special_tokens=False)["input_ids"])


def _unescaped(text: str) -> str:
    """The text of a JSON string; as it stands where it was cut off inside of an escape."""
    try:
        return str(json.loads(f'"{text}"', strict=False)).strip()
    except ValueError:
        return text.strip()
