"""The request to the chat model: names and facts alone, or descriptions and claims too."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel

from hopyard.indexes.kinds.entity_graph import EntityGraphSettings
from hopyard.state.errors import UsageError
from hopyard.state.text.counting import counted


class Asking(BaseModel, frozen=True):
    """The settings that decide what the model writes about a passage."""

    descriptions: bool = False
    types: tuple[str, ...] = ()
    gleanings: int = 0
    claims: bool = False

    @classmethod
    def of(cls, settings: EntityGraphSettings) -> Self:
        """The request that the settings describe.

        Raises:
            UsageError: A setting needs another.
        """
        if settings.descriptions and settings.builder != "model":
            raise UsageError(
                "Only a model describes: "
                "entity_graph.descriptions needs entity_graph.builder=model."
            )
        if not settings.descriptions:
            for name in ("types", "gleanings", "claims"):
                if getattr(settings, name):
                    raise UsageError(f"entity_graph.{name} needs entity_graph.descriptions=true.")
            return cls()
        return cls(
            descriptions=True,
            types=entity_types(settings.types or ""),
            gleanings=settings.gleanings,
            claims=settings.claims,
        )

    @property
    def words(self) -> str:
        """These settings in words, for the author of what is written; "" without descriptions."""
        if not self.descriptions:
            return ""
        parts = ["descriptions"]
        if self.claims:
            parts.append("claims")
        if self.gleanings:
            parts.append(counted(self.gleanings, "gleaning"))
        if self.types:
            parts.append(f"types {'/'.join(self.types)}")
        return ", ".join(parts)

    def plain(self) -> dict[str, Any]:
        """The lines of `hopyard index status`; none without descriptions."""
        if not self.descriptions:
            return {}
        return {
            "descriptions": True,
            "claims": self.claims,
            "gleanings": self.gleanings,
            "types": ", ".join(self.types),
        }


def entity_types(text: str) -> tuple[str, ...]:
    """The types of a comma-separated list, in lower case, each once."""
    names = (" ".join(name.split()).lower() for name in text.split(","))
    return tuple(dict.fromkeys(name for name in names if name))
