"""Attention over a prefix tree: each branch sees the branches that it grows from, and itself.

`use` registers it with transformers; the model's call takes the branches as an argument. It
computes only the products that a branch may see, whereas a mask over all pairs discards most
products.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch

from lab.packing import Branch

__all__ = ("tree_attention", "use")

_NAME: Final = "hopyard_prefix_tree"


def use(model: Any) -> None:
    """Let a transformers model attend by branches; its calls then need `branches=`."""
    from transformers import AttentionInterface

    AttentionInterface.register(_NAME, tree_attention)
    model.set_attn_implementation(_NAME)


def tree_attention(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    scaling: float,
    branches: Sequence[Branch],
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """Attention of one sequence (a batch of one).

    Args:
        module: The layer.
        query: Of shape (1, heads, tokens, size).
        key: Of shape (1, groups, tokens, size); each group serves heads / groups heads in a row.
        value: Like `key`.
        attention_mask: Not used: the branches say who sees whom.
        scaling: Of the products.
        branches: In order, and together all tokens.
        _: Other arguments of transformers, not used.

    Returns:
        The output of shape (1, tokens, heads, size), and no weights.
    """
    heads, size = query.shape[1], query.shape[3]
    groups = key.shape[1]
    # Split once: a slice of its own for each branch would have a gradient as long as the sequence.
    lengths = [branch.end - branch.start for branch in branches]
    asked, keys, values = (torch.split(tensor[0], lengths, dim=1) for tensor in (query, key, value))
    outputs = []
    for number, (branch, own) in enumerate(zip(branches, lengths, strict=True)):
        seen = [*branch.above, number]
        seen_keys = torch.cat([keys[at] for at in seen], dim=1)
        seen_values = torch.cat([values[at] for at in seen], dim=1)
        scores = (asked[number].reshape(groups, -1, size) * scaling) @ seen_keys.transpose(1, 2)
        scores = scores.view(heads, own, -1)
        later = torch.ones(own, own, dtype=torch.bool, device=scores.device).triu(1)
        scores[..., -own:].masked_fill_(later, float("-inf"))
        weights = torch.softmax(scores, dim=-1).view(groups, -1, seen_keys.shape[1])
        outputs.append((weights @ seen_values).view(heads, own, size))
    return torch.cat(outputs, dim=1).transpose(0, 1).unsqueeze(0), None
