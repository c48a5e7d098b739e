"""From a model's text to a validated output, repaired once by rule."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from typing import Any, Final

import json_repair
from pydantic import ValidationError
from pydantic_core import from_json

from hopyard.models.calls.thoughts import is_cut_off, spoken_objects
from hopyard.models.prompt import Output, OutputT
from hopyard.state.text.unicode import valid_unicode

_LONGEST_REPAIRED: Final = 8_000
"""Characters."""
_MOST_BRACKETS: Final = 50
"""More than any output has. `json_repair` takes quadratic time when brackets nest."""
_RETRACTED: Final = re.compile(
    r"\A[\s`)\]\"'.]*[?？]"
    r"|\b(?:no|not|wait|hmm+|but|actually|however|instead|rather|wrong|incorrect|correction|scratch"
    r"|reconsider\w*|re-?(?:check|read)\w*|double[- ]check\w*|second thoughts?|reflection|oops"
    r"|sorry|apolog\w+|mistakes?n?|mis(?:read|took)|strike|disregard|ignore|revis\w+|unless"
    r"|contradict\w*|again|better|real|should|cannot|doubt\w*"
    r"|nein|nicht|kein\w*|aber|doch|halt|moment|falsch|stattdessen|sondern|entschuldigung|irrtum"
    r"|eigentlich|vielmehr|korrektur|korrigier\w+|fehler"
    r"|mais|pas|attends?|faux|erreurs?|pardon|désolée?|plutôt|en fait|pero|espera|incorrecto"
    r"|errore?|erro|perdón|corrijo|en realidad|mas|na verdade|aliás|sbagliato|scus\w|anzi|in realtà"
    r"|нет|не|но|подожди|неверно|точнее|ошиб\w+|на самом деле)\b"
    r"|n['’]t\b|[不错錯]|但|等等|等一下|更正|纠正|抱歉|其实|应该|しかし|いや|違|ではな|訂正|すみません"
    r"|間違|やはり|実は|아니|잠깐|하지만|틀[렸린]|정정|죄송|사실은|다시",
    re.I,
)
"""Words after an object that may take it back. A false alarm costs one more attempt."""
_POLITE: Final = re.compile(
    r"(?:not|n['’]t) hesitate|should (?:help|answer|cover)|hésite[rz]? pas|no dud[ea]s?"
    r"|zögern sie nicht|不要犹豫|ご不明",
    re.I,
)
"""Words of courtesy, which take nothing back."""
_NUMBER: Final = re.compile(r"\d{2,}")
_LONGEST_WORD: Final = 40
"""Characters. A longer run without a space is not a word: Chinese or Japanese text, an address."""


class UnfitOutputError(ValueError):
    """The text does not fit the schema, not even after repair. The message says where."""


def json_schema(output: type[Output]) -> dict[str, Any]:
    """The JSON schema that a provider is asked to follow, for the caller alone."""
    schema: dict[str, Any] = json.loads(_schema(output))
    return schema


@lru_cache(maxsize=128)
def _schema(output: type[Output]) -> str:
    return json.dumps(output.model_json_schema())


def parse(
    text: str, output: type[OutputT], correct: Callable[[str], str] | None = None
) -> tuple[OutputT, bool]:
    """Validate a model's text.

    Args:
        correct: Corrects a habit of the model first (`ChatProvider.correct`).

    Returns:
        The validated object, and whether it needed repair (prose around the JSON, a missing
        bracket, a trailing comma, a correction, a text that was too long). `Output.cut` tells
        whether a part of its text is missing.

    Raises:
        UnfitOutputError: Neither the text nor its repair fits.
    """
    text = _unquoted(valid_unicode(text))
    corrected = correct(text) if correct else text
    try:
        return output.model_validate_json(corrected), corrected != text
    except ValidationError as error:
        problem = _first(error)
    spoken = spoken_objects(corrected)
    begun = spoken.begun if _is_of(output, spoken.begun) else ""
    if not begun:
        for values, written in reversed(spoken.objects):  # the last: earlier objects are drafts
            with suppress(ValidationError):
                fitted = _fit(_unwrapped(values, output), False, output)
                _check_not_retracted(spoken.text, written)
                return fitted, True
    part = begun or _from_first_brace(spoken.text)
    if not begun:
        _check_not_retracted(part, "}")
    for load in (_first_object, _unfinished_object, _repaired_object):
        try:
            return _fit(*load(part, output), output), True
        except UnfitOutputError:
            raise
        except ValidationError as error:
            raise UnfitOutputError(_first(error)) from error
        except (ValueError, RecursionError):
            continue  # not this kind of text
    raise UnfitOutputError(problem)


def _unquoted(text: str) -> str:
    """The text of an object that a server or model wrote as a JSON string."""
    with suppress(ValueError, RecursionError):
        inner = json.loads(text) if text.lstrip().startswith('"') else None
        return inner if isinstance(inner, str) else text
    return text


def _check_not_retracted(text: str, written: str) -> None:
    """See that the words after the last object do not take it back, as in "… is it? No".

    Raises:
        UnfitOutputError: They may.
    """
    before, found, after = text.rpartition(written)
    after = _POLITE.sub("", after)
    said = set(_NUMBER.findall(before + written))  # another number is another answer
    if found and (_RETRACTED.search(after) or not said.issuperset(_NUMBER.findall(after))):
        raise UnfitOutputError("words after the object may take it back")


def _unwrapped(values: dict[str, Any], output: type[Output]) -> Any:
    """The object itself where a model wrote it as a tool call, or under the schema's name."""
    names = (output.__name__, "arguments", "parameters")
    return next((values[name] for name in names if isinstance(values.get(name), dict)), values)


def _is_of(output: type[Output], begun: str) -> bool:
    """Whether an object that is cut off has a field of this schema, or no whole name of one.

    It came last, so it is the answer: what was complete before it is a draft.
    """
    names = "|".join(map(re.escape, output.model_fields))
    return re.match(rf'\{{\s*(?:"(?:{names})"|"?\w*\Z)', begun) is not None


def _from_first_brace(text: str) -> str:
    """The text from its first brace on: prose or a code fence may come before."""
    start = text.find("{")
    return text[start:] if start >= 0 else text


def _first_object(text: str, _: type[Output]) -> tuple[Any, bool]:
    """The JSON at the beginning, whatever prose comes after it."""
    return json.JSONDecoder().raw_decode(text)[0], False


def _unfinished_object(text: str, output: type[Output]) -> tuple[Any, bool]:
    """The fields of an object before the output was cut off, and whether a text in it is cut.

    Half a name or half a question would pass for a whole one: only the field that may be cut is
    kept. Half of a list's last text is left out.

    Raises:
        UnfitOutputError: Another field is half or missing.
        ValueError: This is not the beginning of an object.
    """
    if not is_cut_off(text):
        raise ValueError("not the beginning of an object")
    whole = from_json(text, allow_partial=True)
    if not isinstance(whole, dict):
        raise ValueError("not an object")
    missing = output.model_fields.keys() - whole.keys() - output.not_needed
    if not missing:
        return whole, False
    half = from_json(text, allow_partial="trailing-strings").get(output.cut_field, "")
    kept = _without_last_word(half)
    if missing != {output.cut_field} or not kept:
        raise UnfitOutputError("the output is cut off")
    return whole | {output.cut_field: kept}, True


def _repaired_object(text: str, _: type[Output]) -> tuple[Any, bool]:
    """An object in invalid JSON. If it is cut off too, nobody knows where its texts end."""
    brackets = text.count("{") + text.count("[")
    if "}" not in text or len(text) > _LONGEST_REPAIRED or brackets > _MOST_BRACKETS:
        raise ValueError("cut off, or too much to repair")
    return json_repair.loads(text), False


def _fit(values: Any, cut: bool, output: type[OutputT]) -> OutputT:
    """The validated object. The field that may be cut is, where it is too long.

    Raises:
        ValidationError: The object does not fit the schema.
    """
    field = output.cut_field
    try:
        fitted = output.model_validate_json(_as_json(values))
    except ValidationError as error:
        limit = _limit(error, field)
        if limit is None:
            raise
        kept = _without_last_word(values[field].strip()[: limit + 1])[:limit]
        fitted, cut = output.model_validate_json(_as_json(values | {field: kept})), True
    if cut:
        fitted.mark_cut()
    return fitted


def _as_json(values: Any) -> str:
    """The values as JSON; half of an emoji that was an escape is replaced."""
    return valid_unicode(json.dumps(values, ensure_ascii=False))


def _limit(error: ValidationError, field: str) -> int | None:
    """The length that the field is longer than."""
    for problem in error.errors():
        if problem["loc"] == (field,) and problem["type"] == "string_too_long":
            return int(problem["ctx"]["max_length"])
    return None


def _without_last_word(text: str) -> str:
    """The text without its last word, which may be half; "" where that leaves nothing."""
    if not text or text[-1].isspace():
        return text.strip()
    *before, last = text.rsplit(None, 1)
    return text.strip() if len(last) > _LONGEST_WORD else "".join(before).rstrip(",;:")


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the output"
    return f"{place}: {first['msg']}"
