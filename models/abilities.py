"""What a server cannot do: found out by its refusal, and remembered for its address.

Servers that speak one protocol differ in what they accept. A request asks for everything first.
When the server refuses it and names what it refuses, the next request does without that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from threading import Lock
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable, RunnableSequence

from hopyard.models.failures import server_said

__all__ = ("Abilities", "Form", "abilities_of", "constrained", "remember", "without_refused")


class Form(StrEnum):
    """How a server is asked to keep to a schema, the surest first."""

    JSON_SCHEMA = "json_schema"
    TOOL = "tool call"
    JSON_OBJECT = "json_object"
    PLAIN = "schema in the prompt"


_NEXT: Final[Mapping[Form, Form]] = {
    Form.JSON_SCHEMA: Form.TOOL,
    Form.TOOL: Form.JSON_OBJECT,
    Form.JSON_OBJECT: Form.PLAIN,
}
_REFUSING: Final = frozenset({400, 404, 405, 415, 422, 500, 501})
"""Statuses under which servers refuse an option; the message must name it."""
_NAMES_FORM: Final[Mapping[Form, re.Pattern[str]]] = {
    Form.JSON_SCHEMA: re.compile(
        r"response_?format|json_?schema|structured[ _]output|guided|grammar|['\"`]format['\"`]",
        re.I,
    ),
    Form.TOOL: re.compile(r"\btools?\b|tool_choice|function[ _]?call", re.I),
    Form.JSON_OBJECT: re.compile(r"response_?format|json_?(?:object|mode)", re.I),
}
_OPTIONS: Final = (
    "max_completion_tokens",
    "stream_options",
    "frequency_penalty",
    "temperature",
    "seed",
)


@dataclass(frozen=True)
class Abilities:
    """What a server accepts.

    Attributes:
        form: How it is asked to keep to the schema.
        left_out: Options that it refuses.
    """

    form: Form = Form.JSON_SCHEMA
    left_out: frozenset[str] = frozenset()

    @property
    def in_prompt(self) -> bool:
        """Whether the prompt has to show the schema."""
        return self.form in {Form.JSON_OBJECT, Form.PLAIN}


_known: Final[dict[str, Abilities]] = {}
_lock: Final = Lock()


def abilities_of(identity: str) -> Abilities:
    """What is known of a model on its server.

    Args:
        identity: The model with its server's address (`ChatProvider.identity`).
    """
    return _known.get(identity, Abilities())


def remember(identity: str, abilities: Abilities) -> None:
    """Keep what a server accepts, for all later calls of this process."""
    with _lock:
        _known[identity] = abilities


def without_refused(abilities: Abilities, error: BaseException) -> Abilities | None:
    """The abilities without what the server has just refused; None if it named nothing.

    Args:
        abilities: What the refused request asked for.
        error: The exception of the provider's client.
    """
    said = server_said(error)
    if said.status not in _REFUSING:
        return None
    for option in _OPTIONS:
        if option not in abilities.left_out and re.search(rf"\b{option}\b", said.message):
            return replace(abilities, left_out=abilities.left_out | {option})
    names = _NAMES_FORM.get(abilities.form)
    if names is not None and names.search(said.message):
        return replace(abilities, form=_NEXT[abilities.form])
    return None


def constrained(
    model: BaseChatModel, schema: dict[str, Any], abilities: Abilities
) -> Runnable[Any, Any]:
    """The model, asked in the form that its server accepts.

    The result gives messages: LangChain's parser is taken off, because it holds the pieces of a
    stream back and hides how a reply ended.
    """
    model = _without_options(model, abilities.left_out)
    if abilities.form is Form.PLAIN:
        return model
    if abilities.form is Form.JSON_OBJECT:
        return model.bind(response_format={"type": "json_object"})
    methods: list[dict[str, Any]] = (
        [{"method": "json_schema"}] if abilities.form is Form.JSON_SCHEMA else []
    )
    for options in [*methods, {"method": "function_calling"}, {}]:
        try:
            chain = model.with_structured_output(schema, **options)
        except (NotImplementedError, TypeError, ValueError):
            continue  # this class has no such method
        asked: Runnable[Any, Any] = chain.first if isinstance(chain, RunnableSequence) else chain
        return asked
    return model  # not constrained: the examples show the form, and `parse` insists on it


def _without_options(model: BaseChatModel, left_out: frozenset[str]) -> BaseChatModel:
    if not left_out:
        return model
    fields = type(model).model_fields
    update: dict[str, Any] = {name: None for name in left_out if name in fields}
    if "stream_options" in left_out and "stream_usage" in fields:
        update["stream_usage"] = False
    limit = getattr(model, "max_tokens", None)
    if "max_completion_tokens" in left_out and limit and "extra_body" in fields:
        # LangChain writes `max_tokens` under its newer name, which this server does not know.
        extra = getattr(model, "extra_body", None) or {}
        update |= {"max_tokens": None, "extra_body": {**extra, "max_tokens": limit}}
    return model.model_copy(update=update) if update else model
