"""Prompts: a name, a version, the shared beginning, the turn, and the output schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from string import Template
from typing import Annotated, Any, ClassVar, Final, Generic, Literal, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import AfterValidator, BaseModel, ConfigDict, PrivateAttr, field_validator

from hopyard.state.settings.fields import Context, profile_of
from hopyard.state.text.unicode import without_controls

ROOM_OF_SMALL: Final = 300
"""Output tokens of a small model at least: its JSON is short, and a loop ends soon."""


class Output(BaseModel):
    """Base of every output schema: only the named fields, in text without control characters."""

    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)

    cut_field: ClassVar[str] = ""
    """The text field that is kept up to its last whole word if the model wrote too much.

    Any other text counts only if it is complete.
    """
    markers: ClassVar[bool] = False
    """Whether the answer has markers, such as [2], with the numbers of the passages shown."""
    not_needed: ClassVar[frozenset[str]] = frozenset()
    """Fields with a default that an output cut off by its limit may lack."""
    limits: ClassVar[Mapping[str, int]] = {}
    """Characters of a text, or items of a list, that the model is asked to keep to.

    The field `cut_field` needs none: its end is the limit of the call, and a cut is marked.
    """
    kinds: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """The fields that an output fills, by its field `kind`; fields named nowhere are always filled.
    """
    may_be_empty: ClassVar[frozenset[str]] = frozenset()
    """Fields of `kinds` that may be empty although the kind has them."""
    _cut: bool = PrivateAttr(default=False)

    @field_validator("*", mode="before")
    @classmethod
    def _without_controls(cls, value: Any) -> Any:
        return without_controls(value) if isinstance(value, str) else value

    @property
    def cut(self) -> bool:
        """Whether the end of `cut_field` is missing."""
        return self._cut

    def mark_cut(self) -> None:
        """Record that the end of `cut_field` is missing."""
        self._cut = True


def whole_items(item: type[BaseModel]) -> Callable[[Any], Any]:
    """A validator of a list, whose last item may be cut: it leaves out items that lack a field."""

    def keep(items: Any) -> Any:
        if not isinstance(items, list):
            return items
        wanted = item.model_fields.keys()
        return [each for each in items if not isinstance(each, dict) or wanted <= each.keys()]

    return keep


_QUOTED: Final = re.compile(r'"([^"]*)"')
_NOTHING: Final = frozenset(
    {"", "-", "n/a", "na", "nil", "no", "none", "not applicable", "nothing", "null"}
    | {"true", "false", "unknown", "yes", "empty"}
)


def _or_nothing(text: str) -> str:
    return "" if text.strip(" \t\n.()[]\"'").casefold() in _NOTHING else text


Remark = Annotated[str, AfterValidator(_or_nothing)]
"""A text that is mostly empty. A word such as "none" or "yes" in its place says nothing."""

OutputT = TypeVar("OutputT", bound=Output)


@dataclass(frozen=True)
class Example(Generic[OutputT]):
    """A worked example: the values of the template and the expected output."""

    values: Mapping[str, str]
    output: OutputT


@dataclass(frozen=True)
class Shorter:
    """A wording for capable models: the built-in wording with fewer examples.

    Attributes:
        examples: Number of examples to keep.
        max_tokens: Maximum output tokens. A model that reasons needs room.
    """

    examples: int
    max_tokens: int


@dataclass(frozen=True)
class Prompt(Generic[OutputT]):
    """One kind of model call.

    The shared parts (instructions, then examples) come first, so that prefix caches work. The
    values come last.

    Attributes:
        name: Its name in the ledger.
        version: Increased with every change of wording, examples or schema.
        template: The user's turn; `$name` stands for a value.
        output: The schema of the answer.
        max_tokens: Maximum output tokens.
        typographic_quotes: Whether to replace straight quotes in the values by typographic quotes.
            The built-in model often ends a text at a straight quote, because JSON must escape it:
            it cut 8 sub-questions of 24 questions with straight quotes, and 2 with typographic
            quotes.
        frequency_penalty: Lowers the logit of a token by this much for each time that it has been
            written, 0 to 2, if the provider supports it.
        capable: The wording for models that follow instructions; None if all models share a
            wording.
        small: The wording for models of at most about eight billion parameters, or the number of
            output tokens of the capable wording. None if they get the capable wording as it is, or
            all examples where that is the built-in wording with fewer.
    """

    name: str
    version: int
    system: str
    template: str
    output: type[OutputT]
    max_tokens: int
    examples: Sequence[Example[OutputT]] = field(default_factory=tuple)
    typographic_quotes: bool = False
    frequency_penalty: float = 0.0
    capable: Prompt[OutputT] | Shorter | None = None
    small: Prompt[OutputT] | int | None = None

    def of(self, profile: Literal["builtin", "small", "capable"]) -> Prompt[OutputT]:
        """Return the wording of a profile.

        The built-in model's adapter and the gate were trained on the `builtin` wording, so it must
        not change.
        """
        if profile == "small":
            return self._of_small()
        if profile == "builtin" or self.capable is None:
            return self
        if isinstance(self.capable, Shorter):
            return replace(
                self,
                examples=tuple(self.examples[: self.capable.examples]),
                max_tokens=self.capable.max_tokens,
                typographic_quotes=False,
                frequency_penalty=0.0,
            )
        return self.capable

    def for_model(self, settings: Context) -> Prompt[OutputT]:
        """Return the wording for the model of a run."""
        return self.of(profile_of(settings))

    def _of_small(self) -> Prompt[OutputT]:
        if isinstance(self.small, Prompt):
            return self.small
        if isinstance(self.small, int):
            return replace(self.of("capable"), max_tokens=self.small)
        if isinstance(self.capable, Shorter):
            room = max(self.max_tokens, ROOM_OF_SMALL)
            return replace(self, max_tokens=room, typographic_quotes=False, frequency_penalty=0.0)
        return self.of("capable")

    def messages(self, values: Mapping[str, str]) -> list[BaseMessage]:
        """Return the messages of one call.

        Raises:
            KeyError: A value of the template is missing.
        """
        turn = Template(self.template)
        messages: list[BaseMessage] = [SystemMessage(self.system)]
        for example in self.examples:
            messages.append(HumanMessage(turn.substitute(example.values)))
            messages.append(AIMessage(example.output.model_dump_json()))
        if self.typographic_quotes:
            values = {
                name: _QUOTED.sub(r"“\1”", value).replace('"', "”")
                for name, value in values.items()
            }
        messages.append(HumanMessage(turn.substitute(values)))
        return messages
