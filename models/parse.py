"""From a model's text to a validated output, repaired once by rule."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import json_repair
from pydantic import ValidationError

from hopyard.models.prompt import Output, OutputT

__all__ = ("UnfitOutputError", "json_schema", "parse")

_LONGEST_REPAIRED: Final = 8_000
"""Characters. Repair is quadratic where brackets nest: this many take two seconds at worst."""

_NEXT_TURN: Final = re.compile(r"[“”]\s*\}(?:user|assistant|system).*", re.DOTALL)
"""Where a model meant to end: a typographic mark closes nothing, so it ran on to the next turn."""


class UnfitOutputError(ValueError):
    """The text does not fit the schema, not even after repair. The message says where."""


def json_schema(output: type[Output]) -> dict[str, Any]:
    """The JSON schema that a provider is asked to keep to."""
    return output.model_json_schema()


def parse(text: str, output: type[OutputT]) -> tuple[OutputT, bool]:
    """Validate a model's text.

    Args:
        text: What the model wrote.
        output: The schema wanted.

    Returns:
        The validated object, and whether it needed repair (prose around the JSON, a missing
        bracket, a trailing comma, a typographic mark at the end of a text).

    Raises:
        UnfitOutputError: Neither the text nor its repair fits.
    """
    written, text = text, _NEXT_TURN.sub('"}', text)
    try:
        return output.model_validate_json(text), text != written
    except ValidationError as error:
        problem = _first(error)
    part = _json_part(text)
    if len(part) > _LONGEST_REPAIRED:
        raise UnfitOutputError(f"the output has {len(part)} characters")
    for loads in (_first_object, _repaired):
        try:
            return output.model_validate_json(json.dumps(loads(part))), True
        except UnfitOutputError:
            raise
        except (ValidationError, ValueError, RecursionError):
            continue
    raise UnfitOutputError(problem)


def _json_part(text: str) -> str:
    """From the first brace after the model's thoughts on: prose or a code fence stands before."""
    spoken = text.rpartition("</think>")[2]
    start = spoken.find("{")
    return spoken[start:] if start >= 0 else spoken


def _first_object(text: str) -> Any:
    """The JSON at the beginning, whatever prose comes after it."""
    return json.JSONDecoder().raw_decode(text)[0]


def _repaired(text: str) -> Any:
    return json_repair.loads(_without_half_a_text(text))


def _without_half_a_text(text: str) -> str:
    """What was written before the text that the output was cut off in, if it was.

    Half a name or half a question would pass for a whole one. In a list those before it count.

    Raises:
        UnfitOutputError: The text is a field of its own, so nothing of it can be used.
    """
    begun, around, escaped = -1, "", False
    for place, character in enumerate(text):
        if begun >= 0:
            if escaped or character == "\\":
                escaped = not escaped
            elif character == '"':
                begun = -1
        elif character == '"':
            begun = place
        elif character in "{[":
            around += character
        elif character in "}]":
            around = around[:-1]
    if begun < 0 or not around or text.rstrip().endswith(("}", "]", "`", ">")):
        return text
    if around.endswith("["):
        return text[:begun]
    raise UnfitOutputError("the output is cut off in the middle of a text")


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the output"
    return f"{place}: {first['msg']}"
