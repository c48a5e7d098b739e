"""What the chat model is asked for: names and facts alone, or descriptions and claims too."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.indexes.kinds.entity_graph import EntityGraphSettings
from hopyard.models.prompt import Example
from hopyard.prompts.indexes.element_outputs import ElementsAndClaims
from hopyard.prompts.indexes.elements import element_values
from hopyard.state.errors import UsageError
from hopyard.state.text.counting import counted

__all__ = ("Asking", "Tuning", "WorkedExample", "entity_types")


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class WorkedExample(_Plain):
    """A passage of the corpus with its elements, for the prompt."""

    title: str
    sentences: tuple[str, ...]
    output: ElementsAndClaims

    @property
    def example(self) -> Example[ElementsAndClaims]:
        """The example as prompts take it."""
        return Example(element_values(self.title, self.sentences), self.output)


class Tuning(_Plain):
    """The file of `graph.examples`: entity types of a corpus, and worked examples."""

    domain: str = ""
    """What the corpus is about, in a sentence. For people; no prompt has it."""
    types: tuple[str, ...] = ()
    """Entity types; `graph.types` takes their place where it is set."""
    examples: tuple[WorkedExample, ...] = ()

    @classmethod
    def load(cls, file: Path) -> Self:
        """Read such a file: `python -m lab.graph_tuning` writes one.

        Raises:
            UsageError: The file cannot be read, or has another form.
        """
        try:
            return cls.model_validate_json(file.read_bytes())
        except OSError as error:
            problem = str(error.strerror)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            problem = ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
        raise UsageError(
            f"The file of examples {str(file)!r} cannot be used ({problem}); docs/graphs.md "
            "shows one."
        )


class Asking(_Plain):
    """The settings that decide what the model writes about a passage."""

    descriptions: bool = False
    types: tuple[str, ...] = ()
    examples: tuple[WorkedExample, ...] = ()
    gleanings: int = 0
    claims: bool = False

    @classmethod
    def of(cls, settings: EntityGraphSettings) -> Self:
        """What the settings say. It reads the file of examples.

        Raises:
            UsageError: The file cannot be used, or a setting needs another.
        """
        if settings.descriptions and settings.builder != "model":
            raise UsageError(
                "The rules describe nothing: graph.descriptions needs graph.builder=model."
            )
        if not settings.descriptions:
            for name in ("types", "examples", "gleanings", "claims"):
                if getattr(settings, name):
                    raise UsageError(f"graph.{name} needs graph.descriptions=true.")
            return cls()
        tuning = Tuning.load(Path(settings.examples)) if settings.examples else Tuning()
        return cls(
            descriptions=True,
            types=entity_types(settings.types) or entity_types(",".join(tuning.types)),
            examples=tuning.examples,
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
        if self.examples:
            texts = "\n".join(example.model_dump_json() for example in self.examples)
            parts.append(f"examples {hashlib.sha256(texts.encode()).hexdigest()[:8]}")
        return ", ".join(parts)

    def plain(self) -> dict[str, Any]:
        """What `hopyard index status` shows; nothing without descriptions."""
        if not self.descriptions:
            return {}
        return {
            "descriptions": True,
            "claims": self.claims,
            "gleanings": self.gleanings,
            "types": ", ".join(self.types),
            "examples": len(self.examples),
        }


def entity_types(text: str) -> tuple[str, ...]:
    """The types of a comma-separated list, in lower case, each once."""
    names = (" ".join(name.split()).lower() for name in text.split(","))
    return tuple(dict.fromkeys(name for name in names if name))
