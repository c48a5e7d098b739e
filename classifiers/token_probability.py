"""The paper's value function: the probability of the answer's tokens under a coalition's prompt.

v(S) is the sum of the probabilities (not of their logarithms) of the tokens of the model's own
answer, teacher-forced under the prompt with only S (Con-RAG, section on contributions).

Prompts with a common beginning share it in the model's cache (`PrefixRows`). A row is a sequence of
tokens whose keys and values are in the cache. Reading another sequence reuses the prefix that it
shares with the row, masks the rest of the row, and computes only the new tokens, all rows in one
padded batch.
"""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Sequence
from typing import Any, Final, Self

from langchain_core.messages import BaseMessage

from hopyard.classifiers.causal import Causal
from hopyard.classifiers.contributions import CoalitionValues, OwnAnswer, Reading
from hopyard.prompts.judging.coalitions import COALITION, COALITIONS, Coalition, coalition_values
from hopyard.prompts.passages import one_line
from hopyard.prompts.strategies.direct import DIRECT


def common_prefix(first: Sequence[int], second: Sequence[int]) -> int:
    """How many tokens two sequences share at their beginning."""
    for place, (left, right) in enumerate(zip(first, second, strict=False)):
        if left != right:
            return place
    return min(len(first), len(second))


class PrefixRows:
    """Sequences in a model's cache.

    Attributes:
        ids: The tokens of each row.
    """

    def __init__(
        self,
        model: Any,
        cache: Any,
        ids: list[list[int]],
        columns: list[list[int]],
        width: int,
    ) -> None:
        """See `of`.

        Args:
            cache: Its keys and values of [rows, width] tokens, including padding and masked tokens.
            ids: The tokens of each row.
            columns: The cache column of each token.
            width: Columns of the cache.
        """
        self._model = model
        self._cache = cache
        self.ids = ids
        self._columns = columns
        self._width = width

    @classmethod
    def of(cls, model: Any, ids: Sequence[int]) -> Self:
        """One row that the model has read."""
        from transformers import DynamicCache

        rows = cls(model, DynamicCache(), [[]], [[]], 0)
        rows.read([ids], keep=1)
        return rows

    def select(self, rows: Sequence[int]) -> Self:
        """A copy with these rows, in this order; a row may occur several times."""
        import torch

        cache = copy.deepcopy(self._cache)
        cache.batch_select_indices(torch.tensor(rows, device=self._model.device))
        ids = [list(self.ids[row]) for row in rows]
        columns = [list(self._columns[row]) for row in rows]
        return type(self)(self._model, cache, ids, columns, self._width)

    def read(self, wanted: Sequence[Sequence[int]], *, keep: int) -> Any:
        """Make each row the wanted sequence, computing only its new tokens.

        Args:
            wanted: One sequence of token ids a row.
            keep: Return logits for this many places at the end.

        Returns:
            Logits [rows, keep, vocabulary]; a place's logits choose the token after it. At least
            `keep` tokens are computed, because places before the new tokens have no logits.
        """
        import torch

        kept = [
            max(0, min(common_prefix(row, new), len(new) - keep))
            for row, new in zip(self.ids, wanted, strict=True)
        ]
        longest = max(len(new) - held for new, held in zip(wanted, kept, strict=True))
        tokens = torch.zeros(len(wanted), longest, dtype=torch.long)
        places = torch.zeros(len(wanted), longest, dtype=torch.long)
        mask = torch.zeros(len(wanted), self._width + longest, dtype=torch.long)
        for row, (new, held) in enumerate(zip(wanted, kept, strict=True)):
            start = longest - (len(new) - held)  # padded on the left: all rows end together
            tokens[row, start:] = torch.tensor(new[held:])
            places[row, start:] = torch.arange(held, len(new))
            mask[row, self._columns[row][:held]] = 1
            mask[row, self._width + start :] = 1
            first, end = self._width + start, self._width + longest
            self._columns[row] = [*self._columns[row][:held], *range(first, end)]
            self.ids[row] = list(new)
        self._width += longest
        device = self._model.device
        with torch.inference_mode():
            return self._model(
                input_ids=tokens.to(device),
                attention_mask=mask.to(device),
                position_ids=places.to(device),
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=keep,
            ).logits


ANSWER_TOKENS: Final = 32
"""Tokens of an answer at most; a longer answer is cut."""
_ROLES: Final = {"system": "system", "human": "user", "ai": "assistant"}
_OPENED: Final = '{"answer":"'
"""The beginning of every output, which the model does not have to write."""
_SAMPLES: Final = (("What is one?", "[1] One: a number."), ("Where to?", "(the other)"))
"""Two prompts whose common beginning is the beginning of every prompt."""
_END: Final = re.compile(r'((?:[^"\\]|\\.)*)"', re.DOTALL)
"""An answer up to its closing quote."""


def probability_sum(logits: Any, tokens: Sequence[int]) -> float:
    """Σ p(token | prompt, tokens before), Con-RAG's v.

    Args:
        logits: [n, vocabulary], from which each token was chosen.
        tokens: [n], the answer's token ids.

    Returns:
        Between 0 and n.
    """
    chances = logits.float().softmax(-1)
    return math.fsum(float(chances[place, token]) for place, token in enumerate(tokens))


class TokenProbability:
    """Answers and values by one model in PyTorch, several questions in a padded batch.

    Common prefixes are computed once: instructions and examples for all questions, and the
    passages of a question for its answer and all four coalitions.
    """

    name = "token-probability"

    def __init__(self, causal: Causal) -> None:
        self._causal = causal
        first, second = (self._prompt("both", Reading(*pair)) for pair in _SAMPLES)
        self._base = PrefixRows.of(causal.model, first[: common_prefix(first, second)])
        self._direct: PrefixRows | None = None
        self._read: tuple[list[Reading], PrefixRows] = ([], self._base)

    @property
    def identity(self) -> str:
        """The model's name."""
        return self._causal.identity

    async def answer(self, readings: Sequence[Reading]) -> list[OwnAnswer | None]:
        """Answer greedily, as the product does at temperature 0."""
        rows = self._rows(readings, copies=1)
        prompts = [self._prompt("both", reading) for reading in readings]
        written = self._write(rows, prompts)
        return [
            OwnAnswer(reading, text, tuple(tokens)) if tokens else None
            for reading, (tokens, text) in zip(readings, written, strict=True)
        ]

    async def answer_directly(self, questions: Sequence[str]) -> list[str | None]:
        """Answer with the prompt that the product uses without retrieval."""
        if self._direct is None:
            first, second = (self._ids(DIRECT.messages({"question": q})) for q, _ in _SAMPLES)
            shared = first[: common_prefix(first, second)]
            self._direct = PrefixRows.of(self._causal.model, shared)
        prompts = [self._ids(DIRECT.messages({"question": one_line(q)})) for q in questions]
        rows = self._direct.select([0] * len(prompts))
        return [text or None for _, text in self._write(rows, prompts)]

    async def values(self, answers: Sequence[OwnAnswer]) -> list[CoalitionValues | None]:
        """The four coalitions of every question in one padded batch."""
        rows = self._rows([own.reading for own in answers], copies=len(COALITIONS))
        wanted = [
            [*self._prompt(coalition, own.reading), *own.tokens]
            for own in answers
            for coalition in COALITIONS
        ]
        longest = max(len(own.tokens) for own in answers)
        logits = rows.read(wanted, keep=longest + 1)
        sums = []
        for number in range(len(wanted)):
            tokens = answers[number // len(COALITIONS)].tokens
            sums.append(probability_sum(logits[number, -len(tokens) - 1 : -1], tokens))
        fours = zip(*[iter(sums)] * len(COALITIONS), strict=True)
        return [CoalitionValues(*four) for four in fours]

    def _rows(self, readings: Sequence[Reading], *, copies: int) -> PrefixRows:
        """Rows of the prefix that a question's prompts share, read once for each batch."""
        if not set(readings) <= set(self._read[0]):
            shared = []
            for reading in readings:
                both, passages = (self._prompt(name, reading) for name in ("both", "passages"))
                shared.append(both[: common_prefix(both, passages)])
            rows = self._base.select([0] * len(readings))
            rows.read(shared, keep=1)
            self._read = list(readings), rows
        known, rows = self._read
        return rows.select([known.index(reading) for reading in readings for _ in range(copies)])

    def _write(
        self, rows: PrefixRows, prompts: Sequence[Sequence[int]]
    ) -> list[tuple[list[int], str]]:
        """Let the model write after each prompt; return the answer's tokens and text.

        An answer ends at the closing quote. If a token holds a mark and the quote, the mark belongs
        to the text, and the token is not among the answer's tokens.
        """
        logits = rows.read(prompts, keep=1)
        written: list[list[int]] = [[] for _ in prompts]
        texts: dict[int, str] = {}
        for _ in range(ANSWER_TOKENS):
            chosen = logits[:, -1].argmax(-1).tolist()
            for number in set(range(len(prompts))) - texts.keys():
                text = self._decode([*written[number], chosen[number]])
                if end := _END.match(text):
                    texts[number] = end[1]
                elif chosen[number] in self._causal.tokenizer.all_special_ids:
                    texts[number] = self._decode(written[number])
                else:
                    written[number].append(chosen[number])
            if len(texts) == len(prompts):
                break
            logits = rows.read(
                [[*prompt, *tokens] for prompt, tokens in zip(prompts, written, strict=True)],
                keep=1,
            )
        for number, tokens in enumerate(written):
            texts.setdefault(number, self._decode(tokens))
        return [(tokens, _unescape(texts[number])) for number, tokens in enumerate(written)]

    def _decode(self, tokens: Sequence[int]) -> str:
        text: str = self._causal.tokenizer.decode(list(tokens), clean_up_tokenization_spaces=False)
        return text

    def _prompt(self, coalition: Coalition, reading: Reading) -> list[int]:
        values = coalition_values(coalition, one_line(reading.question), reading.passages)
        return self._ids(COALITION.messages(values))

    def _ids(self, messages: Sequence[BaseMessage]) -> list[int]:
        turns = [{"role": _ROLES[turn.type], "content": str(turn.content)} for turn in messages]
        tokenizer = self._causal.tokenizer
        text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        return list(tokenizer(text + _OPENED, add_special_tokens=False)["input_ids"])


def _unescape(text: str) -> str:
    """The text of a JSON string; unchanged if it was cut inside an escape."""
    try:
        return str(json.loads(f'"{text}"', strict=False)).strip()
    except ValueError:
        return text.strip()
