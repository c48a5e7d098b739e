"""Look up the answer of a finished model call in the ledger. Nothing is asked or written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Final

from hopyard.models.builtin.chat import end_at_next_turn
from hopyard.models.calls.key import call_key, prompt_of_attempt
from hopyard.models.calls.parse import UnfitOutputError, parse
from hopyard.models.ledger import Ledger
from hopyard.models.prompt import OutputT, Prompt
from hopyard.state.settings.fields import Context

__all__ = ("finished_output",)

_CORRECTED: Final = ("embedded/", "recorded:")
"""How the ledger's names of models begin whose providers correct outputs (`models.chat`)."""


def finished_output(
    ledger: Ledger,
    model: str,
    prompt: Prompt[OutputT],
    values: Mapping[str, str],
    context: Context,
) -> OutputT | None:
    """The output that `ModelCaller.call` would return from the ledger alone.

    Args:
        ledger: The ledger. It counts no use of the call.
        model: The model as the ledger names it.
        prompt: The prompt in the wording that was asked.
        values: Fill the prompt's template.
        context: The settings of the run that asked: sampling is part of the key.

    Returns:
        The output, or None if the call was not made or no attempt gave a usable output.
    """
    correct: Callable[[str], str] | None = None
    if model.startswith(_CORRECTED):
        correct = end_at_next_turn
    for attempt in count():
        messages = prompt_of_attempt(prompt, attempt).messages(values)
        entry = ledger.entry(call_key(model, prompt, messages, context, attempt))
        if entry is None:
            return None
        try:
            return parse(entry.output, prompt.output, correct)[0]
        except UnfitOutputError:
            continue
    raise AssertionError("a ledger has no attempt without an end")
