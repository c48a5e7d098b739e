"""Lists of a model's output that lose items without all parts, as the last one of a cut output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

__all__ = ("whole_items",)


def whole_items(item: type[BaseModel]) -> Callable[[Any], Any]:
    """A validator of a list: it leaves out items that lack a field of `item`."""

    def keep(items: Any) -> Any:
        if not isinstance(items, list):
            return items
        wanted = item.model_fields.keys()
        return [one for one in items if not isinstance(one, dict) or wanted <= one.keys()]

    return keep
