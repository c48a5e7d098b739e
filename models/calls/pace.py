"""Calls in turn, as limits of a minute allow them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

from langchain_core.messages import BaseMessage

from hopyard.models.calls.reply import Spent, prompt_tokens
from hopyard.models.ledger import Ledger
from hopyard.state.usage import Budget


@asynccontextmanager
async def in_turn(
    ledger: Ledger, model: str, budget: Budget, messages: Sequence[BaseMessage]
) -> AsyncIterator[Callable[[Spent], None]]:
    """Wait until a call may be made. Tokens of its answer are not known yet, and are added later.

    Yields:
        Takes what the call has spent.
    """
    expected = budget.pause(prompt_tokens(messages) if budget.minute_tokens else 0)
    await ledger.turns.wait(model, expected)
    told: list[Spent] = []
    yield told.append
    for spent in told:
        more = budget.pause(spent.input_tokens + spent.output_tokens) - expected
        await asyncio.to_thread(ledger.turns.took, model, more)
