"""The schema that a provider is asked to keep to: narrower than what `parse` accepts.

A constrained decoder writes whatever its schema allows. It closes an object without a field that
may be missing, and repeats itself in a text or a list without an end. So every field is required
here, and texts and lists have limits. An output of a provider that does not keep to them still
counts, and the ledger knows a call by the schema of its output class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from hopyard.models.prompt import Output

LONGEST_ITEM: Final = 300
"""Characters of a text in a list with a limit, such as a search or a sub-question."""


class _Narrow(GenerateJsonSchema):
    """Every field of an output required, and its texts and lists limited."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        narrow = super().model_schema(schema)
        fields: dict[str, dict[str, Any]] = narrow.get("properties", {})
        narrow["required"] = list(fields)
        limits = cast(type[Output], schema["cls"]).limits
        for name, field in fields.items():
            field.pop("default", None)
            if name in limits:
                field.update(_limited(field, limits[name]))
        return narrow


def asked_schema(output: type[Output], *, variants: bool) -> dict[str, Any]:
    """The JSON schema of a request, with the output's name as its title.

    Args:
        variants: Whether to add an `anyOf` with an object for each kind: the fields of the kind are
            filled, and those of other kinds empty. Servers such as llama.cpp and Ollama read it.
            OpenAI and Anthropic refuse it at the top of a schema.
    """
    schema = {"title": output.__name__, **output.model_json_schema(schema_generator=_Narrow)}
    if variants and output.kinds:
        schema["anyOf"] = [_variant(schema, kind, output) for kind in output.kinds]
    return schema


def _limited(field: Mapping[str, Any], most: int) -> dict[str, Any]:
    """The limit of a field: characters of a text, or items of a list."""
    if field.get("type") != "array":
        return {"maxLength": most}
    texts = {"items": {"maxLength": LONGEST_ITEM, **field["items"]}}
    return {"maxItems": most, **(texts if field["items"].get("type") == "string" else {})}


def _variant(schema: Mapping[str, Any], kind: str, output: type[Output]) -> dict[str, Any]:
    """The object of one kind."""
    fields = {**schema["properties"], "kind": {"const": kind}}
    for name in {name for names in output.kinds.values() for name in names}:
        field, is_list = fields[name], fields[name].get("type") == "array"
        if name not in output.kinds[kind]:
            fields[name] = {"const": [] if is_list else ""}
        elif name not in output.may_be_empty:
            fields[name] = {**field, "minItems" if is_list else "minLength": 1}
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }
