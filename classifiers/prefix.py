"""Token sequences in a model's cache, so that prompts with a common beginning share it.

A row is a sequence of tokens whose keys and values are in the cache. Reading another sequence
reuses the prefix that it shares with the row, masks the rest of the row, and computes only the new
tokens, all rows in one padded batch.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Self


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
