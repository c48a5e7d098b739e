"""What a prompt is: a name, a version, the shared beginning, the turn, and the output schema."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import Template
from typing import Any, Final, Generic, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, field_validator

__all__ = ("Example", "Output", "OutputT", "Prompt")

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
"""Control characters but tab and line ends: a terminal would obey them, Postgres refuse NUL."""


class Output(BaseModel):
    """Base of every output schema: nothing but the named fields, in text without controls."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    @field_validator("*", mode="before")
    @classmethod
    def _without_controls(cls, value: Any) -> Any:
        return _CONTROL.sub("", value) if isinstance(value, str) else value


OutputT = TypeVar("OutputT", bound=Output)


@dataclass(frozen=True)
class Example(Generic[OutputT]):
    """A worked turn: the values put into the template and the output wanted."""

    values: Mapping[str, str]
    output: OutputT


@dataclass(frozen=True)
class Prompt(Generic[OutputT]):
    """One kind of model call.

    What every call of the kind shares (instructions, then examples) comes first, so that an
    engine's prefix cache holds it; what differs comes last.

    Attributes:
        name: Its name in the ledger.
        version: Counted up with every change of wording, examples or schema.
        system: The instructions.
        template: The user's turn; `$name` stands for a value.
        output: The schema of the answer.
        max_tokens: Output tokens at most.
        examples: Worked turns.
    """

    name: str
    version: int
    system: str
    template: str
    output: type[OutputT]
    max_tokens: int
    examples: Sequence[Example[OutputT]] = field(default_factory=tuple)

    def messages(self, values: Mapping[str, str]) -> list[BaseMessage]:
        """The messages of one call.

        Raises:
            KeyError: A value of the template is missing.
        """
        turn = Template(self.template)
        messages: list[BaseMessage] = [SystemMessage(self.system)]
        for example in self.examples:
            messages.append(HumanMessage(turn.substitute(example.values)))
            messages.append(AIMessage(example.output.model_dump_json()))
        messages.append(HumanMessage(turn.substitute(values)))
        return messages
