"""One attempt at a model call, and its key in the ledger: everything that its answer depends on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Final, Generic

from langchain_core.messages import BaseMessage

from hopyard.models.calls.parse import json_schema
from hopyard.models.chat import Sampling
from hopyard.models.ledger import ledger_key
from hopyard.models.prompt import OutputT, Prompt
from hopyard.models.recorded import recorded_key
from hopyard.state.settings.fields import Context, profile_of

HOTTER: Final = 0.7
"""Sampling temperature of a retry at least: at 0 it would repeat the output that did not fit."""


@dataclass(frozen=True)
class Attempt(Generic[OutputT]):
    """One attempt at a call.

    A retry does not show the last output or its fault: small models cite them. The first asks the
    same, so that a server need not read the prompt again; the next names the fields of the output.

    Attributes:
        first: The prompt of the first attempt.
        values: Fill its template.
        number: 0 for the first; each retry adds 1.
    """

    first: Prompt[OutputT]
    values: Mapping[str, str]
    context: Context
    number: int = 0

    @cached_property
    def prompt(self) -> Prompt[OutputT]:
        """The prompt of this attempt."""
        if self.number < 2:
            return self.first
        fields = ", ".join(self.first.output.model_fields)
        told = f"Write one JSON object with these fields and nothing else: {fields}."
        return replace(self.first, system=f"{self.first.system}\n{told}")

    @cached_property
    def messages(self) -> list[BaseMessage]:
        """The messages of this attempt."""
        return self.prompt.messages(self.values)

    @property
    def sampling(self) -> Sampling:
        """Each attempt has a seed of its own, and a retry is hotter.

        A retry of a small model has half the room: its outputs that fit are far shorter, and one
        that runs in circles takes minutes on a processor. A larger model may need the room for its
        thoughts.
        """
        less = 2 if self.number and profile_of(self.context) == "small" else 1
        return Sampling(
            max_tokens=self.first.max_tokens // less,
            temperature=max(self.context.temperature, HOTTER if self.number else 0.0),
            frequency_penalty=self.first.frequency_penalty,
            seed=self.context.seed + self.number,
        )

    def key(self, model: str) -> str:
        """The key in the ledger.

        Args:
            model: The model as the ledger names it (`ChatProvider.identity`).
        """
        groups = self.context.groups
        own = {} if groups is None else {"groups": groups}  # no time may tell what others asked
        return ledger_key(
            {
                **own,
                "model": model,
                "prompt": self.first.name,
                "version": self.first.version,
                "schema": json_schema(self.first.output),
                "messages": [(message.type, message.content) for message in self.messages],
                "sampling": asdict(self.sampling),
                "attempt": self.number,
            }
        )

    @property
    def recorded_key(self) -> str:
        """The key in a recording."""
        return recorded_key(
            [(message.type, message.content) for message in self.messages],
            json_schema(self.first.output),
            temperature=self.sampling.temperature,
            seed=self.sampling.seed,
        )
