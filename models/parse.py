"""From a model's text to a validated output, repaired once by rule."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import json_repair
from pydantic import ValidationError

from hopyard.prompts.prompt import Output, OutputT

__all__ = ("UnfitOutputError", "json_schema", "parse")

_LONGEST_OUTPUT: Final = 100_000
_THOUGHTS: Final = re.compile(r"<think>.*?</think>", re.DOTALL)


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
        bracket, a trailing comma).

    Raises:
        UnfitOutputError: Neither the text nor its repair fits.
    """
    try:
        return output.model_validate_json(text), False
    except ValidationError as error:
        problem = _first(error)
    if len(text) > _LONGEST_OUTPUT:
        raise UnfitOutputError(f"the output has {len(text)} characters")
    try:
        repaired = json_repair.loads(_json_part(text))
        return output.model_validate_json(json.dumps(repaired)), True
    except (ValidationError, ValueError, RecursionError):
        raise UnfitOutputError(problem) from None


def _json_part(text: str) -> str:
    """From the first brace on: models put prose or a code fence in front."""
    text = _THOUGHTS.sub("", text)
    start = text.find("{")
    return text[start:] if start >= 0 else text


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the output"
    return f"{place}: {first['msg']}"
