"""The abilities of a server: found out by its refusals, and remembered for its address.

Servers that speak one protocol differ in the options that they accept. A request asks for
everything first. When the server refuses an option by its name, the next request does without. A
file in the data folder keeps this for a day; `hopyard doctor --model NAME` asks again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from threading import RLock
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable, RunnableSequence

from hopyard.models.servers.failures import Failure, classify, server_said
from hopyard.state.errors import HopyardError
from hopyard.state.settings.sources import home
from hopyard.state.storage.atomic import replacing

ABILITIES_FILE: Final = "servers.json"
"""In the data folder."""
KEPT_FOR: Final = timedelta(days=1)
"""A server may learn an ability, and to find out again costs one refused request."""


class Form(StrEnum):
    """How a server is asked to keep to a schema, the surest first."""

    JSON_SCHEMA = "json_schema"
    TOOL = "tool call"
    JSON_OBJECT = "json_object"
    PLAIN = "schema in the prompt"

    @property
    def in_prompt(self) -> bool:
        """Whether the prompt has to show the schema."""
        return self in {Form.JSON_OBJECT, Form.PLAIN}


_NEXT: Final[Mapping[Form, Form]] = {
    Form.JSON_SCHEMA: Form.TOOL,
    Form.TOOL: Form.JSON_OBJECT,
    Form.JSON_OBJECT: Form.PLAIN,
}
_REFUSING: Final = frozenset({400, 404, 405, 415, 422, 500, 501})
"""Statuses under which servers refuse an option; the message must name it."""
_NAMES_FORM: Final[Mapping[Form, re.Pattern[str]]] = {
    Form.JSON_SCHEMA: re.compile(
        r"response_?format|schema|structured[ _-]output|guided|grammar|['\"`]format['\"`]",
        re.I,
    ),
    Form.TOOL: re.compile(r"\btools?\b|tool_choice|function[ _]?call", re.I),
    Form.JSON_OBJECT: re.compile(r"response_?format|json_?(?:object|mode)", re.I),
}
_LONGEST_ANSWER: Final = re.compile(
    r"max(?:_completion|_output)?_tokens\b.*?"
    r"(?:at most|(?:expected a value|must be|should be) <=|less than or equal to|> )\W*(\d+)",
    re.I,
)
"""How OpenAI, Volcengine, Groq and Anthropic say that an answer may not have so many tokens."""
VARIANTS: Final = "anyOf"
"""The part of a schema that has a variant for each kind (`asked_schema`)."""
_OPTIONS: Final = (
    VARIANTS,
    "max_completion_tokens",
    "stream_options",
    "frequency_penalty",
    "temperature",
    "seed",
)


@dataclass(frozen=True)
class Abilities:
    """The abilities of a server.

    Attributes:
        form: How it is asked to keep to a schema.
        left_out: Options that it refuses.
        window: Tokens of prompt and answer together, as an error of the server said; 0 where
            none did.
        longest_answer: Tokens of an answer that it allows, as an error said; 0 where none did.
        forms: The form of single schemas that it refused, by title. Others may be fine.
    """

    form: Form = Form.JSON_SCHEMA
    left_out: frozenset[str] = frozenset()
    window: int = 0
    longest_answer: int = 0
    forms: Mapping[str, Form] = field(default_factory=dict)

    def form_of(self, title: str) -> Form:
        """How the server is asked to keep to the schema of a title: the weaker of both forms."""
        return max(self.form, self.forms.get(title, self.form), key=list(Form).index)


_known: Final[dict[Path | None, dict[str, Abilities]]] = {}
"""The abilities by data folder and model: from its file, and found by this process since."""
_lock: Final = RLock()


def abilities_of(identity: str) -> Abilities:
    """The known abilities of a model on its server. It may read a file.

    Args:
        identity: The model with its server's address (`ChatProvider.identity`).
    """
    with _lock:
        return _in_folder().get(identity, Abilities())


def remember(identity: str, abilities: Abilities) -> None:
    """Use these abilities for all later calls of this process."""
    with _lock:
        _in_folder()[identity] = abilities


def keep(identity: str, abilities: Abilities) -> None:
    """Keep the abilities of a server for other processes too.

    A file that cannot be written only costs finding them out again.
    """
    with _lock:
        remember(identity, abilities)
        _write({identity: _as_kept(abilities)})


def forget(identity: str) -> None:
    """Find out the abilities of a server again."""
    with _lock:
        _in_folder().pop(identity, None)
        _write({identity: None})


def _in_folder() -> dict[str, Abilities]:
    folder = _folder()
    if folder not in _known:
        entries = _read(folder).items() if folder else ()
        _known[folder] = {
            name: found for name, kept in entries if (found := _from_kept(kept)) is not None
        }
    return _known[folder]


def _folder() -> Path | None:
    with suppress(HopyardError):
        return home()
    return None


def _read(folder: Path) -> dict[str, Any]:
    """The entries of the file; none where it is missing or damaged."""
    with suppress(OSError, ValueError, RecursionError):
        entries = json.loads((folder / ABILITIES_FILE).read_text("utf-8"))
        return entries if isinstance(entries, dict) else {}
    return {}


def _write(changes: Mapping[str, Mapping[str, Any] | None]) -> None:
    """Change some entries of the file, and drop those that are too old."""
    folder = _folder()
    if folder is None:
        return
    before = _read(folder)
    entries = {name: kept for name, kept in {**before, **changes}.items() if _from_kept(kept)}
    if entries == before:
        return
    text = json.dumps(entries, indent=1, sort_keys=True, ensure_ascii=False)
    with suppress(HopyardError), replacing(folder / ABILITIES_FILE) as file:
        file.write_text(f"{text}\n", "utf-8")


def _as_kept(abilities: Abilities) -> dict[str, Any]:
    kept = asdict(abilities) | {"left_out": sorted(abilities.left_out)}
    return kept | {"found": datetime.now(UTC).isoformat(timespec="seconds")}


def _from_kept(kept: Any) -> Abilities | None:
    """The abilities of an entry; None where it is damaged, or too old."""
    with suppress(AttributeError, KeyError, TypeError, ValueError):
        age = datetime.now(UTC) - datetime.fromisoformat(kept["found"])
        if abs(age) <= KEPT_FOR and all(option in _OPTIONS for option in kept["left_out"]):
            return Abilities(
                Form(kept["form"]),
                frozenset(kept["left_out"]),
                max(0, int(kept["window"])),
                max(0, int(kept["longest_answer"])),
                {title: Form(form) for title, form in kept["forms"].items()},
            )
    return None


def without_refused(abilities: Abilities, error: BaseException, title: str) -> Abilities | None:
    """The abilities without the option that the server has just refused; None if it named none.

    A refused form may be the fault of the schema: only this schema is asked for in a weaker form.
    If the server has refused another schema too, the form is refused, unless the error names the
    schema.

    Args:
        error: The exception of the provider's client.
    """
    said = server_said(error)
    if said.status not in _REFUSING or classify(error) is Failure.TOO_LONG:
        return None  # errors about a length name the options that set one
    if longest := _LONGEST_ANSWER.search(said.message):
        tokens = int(longest[1])
        shorter = replace(abilities, longest_answer=tokens)
        return None if shorter == abilities else shorter
    for option in _OPTIONS:
        if option not in abilities.left_out and re.search(rf"\b{option}\b", said.message):
            return replace(abilities, left_out=abilities.left_out | {option})
    form = abilities.form_of(title)
    names = _NAMES_FORM.get(form)
    if names is None or not names.search(said.message):
        return None
    order, forms = list(Form), abilities.forms.items()
    others = [
        known for name, known in forms if name != title and order.index(known) > order.index(form)
    ]
    if others and not re.search(rf"\b{re.escape(title)}\b", said.message):
        return replace(abilities, form=_NEXT[form])
    return replace(abilities, forms={**abilities.forms, title: _NEXT[form]})


def constrained(
    model: BaseChatModel, schema: dict[str, Any], form: Form, left_out: frozenset[str]
) -> Runnable[Any, Any]:
    """The model, asked in a form, without some options.

    The result gives messages: LangChain's parser is taken off, because it holds the pieces of a
    stream back and hides how a reply ended.
    """
    model = without_options(model, left_out)
    if form is Form.PLAIN:
        return model
    if form is Form.JSON_OBJECT:
        return model.bind(response_format={"type": "json_object"})
    methods: list[dict[str, Any]] = [{"method": "json_schema"}] if form is Form.JSON_SCHEMA else []
    for options in [*methods, {"method": "function_calling"}, {}]:
        try:
            chain = model.with_structured_output(schema, **options)
        except (NotImplementedError, TypeError, ValueError):
            continue  # this class has no such method
        asked: Runnable[Any, Any] = chain.first if isinstance(chain, RunnableSequence) else chain
        return asked
    return model  # not constrained: the examples show the form, and `parse` insists on it


def without_options(model: BaseChatModel, left_out: frozenset[str]) -> BaseChatModel:
    """The model without options that its server refuses."""
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
