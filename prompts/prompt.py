"""What a prompt is: a name, a version, the shared beginning, the turn, and the output schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import Template
from typing import Generic, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict

__all__ = ("Example", "Output", "OutputT", "Prompt")


class Output(BaseModel):
    """Base of every output schema: nothing but the named fields."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


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
