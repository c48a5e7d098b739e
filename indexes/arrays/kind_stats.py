"""The file in which an index kind keeps the counts of a generation, for `index status`."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from hopyard.indexes.corpus.manifest import damage_error

__all__ = ("KindStats",)

_FILE: Final = "stats.json"


class KindStats(BaseModel):
    """Counts of one generation of a kind."""

    model_config = ConfigDict(frozen=True)

    whose: ClassVar[str]
    """What they are the counts of, for errors, such as `an entity graph`."""

    def save(self, directory: Path) -> None:
        """Write `stats.json` into a kind's folder."""
        (directory / _FILE).write_text(self.model_dump_json(indent=1) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, directory: Path) -> Self:
        """Read what `save` wrote.

        Raises:
            IndexMissingError: The file is missing or damaged.
        """
        file = directory / _FILE
        try:
            return cls.model_validate_json(file.read_bytes())
        except OSError as error:
            raise damage_error(file, f"cannot be read ({error.strerror})") from error
        except ValidationError as error:
            raise damage_error(file, f"does not hold the counts of {cls.whose}") from error
