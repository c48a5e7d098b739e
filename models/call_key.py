"""The key of a model call in the ledger: everything that its answer depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from hopyard.models.chat import Sampling
from hopyard.models.ledger import ledger_key
from hopyard.models.parse import json_schema
from hopyard.models.prompt import Prompt
from hopyard.state.settings import Context

__all__ = ("call_key", "messages_of_retry", "sampling_of")

_BAD_OUTPUT_SHOWN: Final = 400


def sampling_of(prompt: Prompt[Any], context: Context, attempt: int) -> Sampling:
    """How an attempt at a call samples. Each attempt has a seed of its own.

    Args:
        prompt: The prompt.
        context: The settings of the run.
        attempt: 0 for the first; each retry adds 1.
    """
    return Sampling(
        max_tokens=prompt.max_tokens,
        temperature=context.temperature,
        frequency_penalty=context.frequency_penalty,
        seed=context.seed + attempt,
    )


def call_key(
    model: str,
    prompt: Prompt[Any],
    messages: Sequence[BaseMessage],
    context: Context,
    attempt: int,
) -> str:
    """The key of an attempt at a call.

    Args:
        model: The model as the ledger names it (`ChatProvider.identity`).
        prompt: The prompt.
        messages: The messages of this attempt.
        context: The settings of the run.
        attempt: 0 for the first; each retry adds 1.
    """
    return ledger_key(
        {
            "model": model,
            "prompt": prompt.name,
            "version": prompt.version,
            "schema": json_schema(prompt.output),
            "messages": [(message.type, message.content) for message in messages],
            "sampling": asdict(sampling_of(prompt, context, attempt)),
            "attempt": attempt,
        }
    )


def messages_of_retry(asked: Sequence[BaseMessage], output: str, problem: str) -> list[BaseMessage]:
    """The messages of the next attempt, which name the fault of the last output.

    Args:
        asked: The messages of the first attempt.
        output: The output that does not fit.
        problem: Where it does not fit.
    """
    return [
        *asked,
        AIMessage(output[:_BAD_OUTPUT_SHOWN]),
        HumanMessage(f"That does not fit ({problem}). Answer with the JSON alone."),
    ]
