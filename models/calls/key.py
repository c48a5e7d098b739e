"""The key of a model call in the ledger: everything that its answer depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from langchain_core.messages import BaseMessage

from hopyard.models.calls.parse import json_schema
from hopyard.models.chat import Sampling
from hopyard.models.ledger import ledger_key
from hopyard.models.prompt import OutputT, Prompt
from hopyard.state.settings.fields import Context, profile_of

__all__ = ("call_key", "prompt_of_attempt", "sampling_of")

HOTTER: Final = 0.7
"""Sampling temperature of a retry at least: at 0 it would repeat the output that did not fit."""


def sampling_of(prompt: Prompt[Any], context: Context, attempt: int) -> Sampling:
    """How an attempt at a call samples. Each attempt has a seed of its own, and a retry is hotter.

    A retry of a small model has half the room: its outputs that fit are far shorter, and one that
    runs in circles takes minutes on a processor. A larger model may need the room for its thoughts.

    Args:
        prompt: The prompt.
        context: The settings of the run.
        attempt: 0 for the first; each retry adds 1.
    """
    less = 2 if attempt and profile_of(context) == "small" else 1
    return Sampling(
        max_tokens=prompt.max_tokens // less,
        temperature=max(context.temperature, HOTTER if attempt else 0.0),
        frequency_penalty=prompt.frequency_penalty,
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


def prompt_of_attempt(prompt: Prompt[OutputT], attempt: int) -> Prompt[OutputT]:
    """The prompt of an attempt at a call.

    A retry does not show the last output or its fault: small models cite them. The first asks the
    same, so that a server need not read the prompt again; the next names the fields of the output.

    Args:
        prompt: The prompt of the first attempt.
        attempt: 0 for the first; each retry adds 1.
    """
    if attempt < 2:
        return prompt
    fields = ", ".join(prompt.output.model_fields)
    told = f"Write one JSON object with these fields and nothing else: {fields}."
    return replace(prompt, system=f"{prompt.system}\n{told}")
