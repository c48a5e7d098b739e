"""The list that says which passage, or passages, each row of an index stands for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from hopyard.indexes.corpus.manifest import damage_error

__all__ = ("load_rows", "save_rows")

ROWS_FILE: Final = "ids.json"

_Row = TypeVar("_Row")


def save_rows(directory: Path, rows: Sequence[str] | Sequence[Sequence[str]]) -> None:
    """Write the passage id, or ids, of rows 0, 1, … into a kind's folder."""
    (directory / ROWS_FILE).write_text(json.dumps(rows), encoding="utf-8")


def load_rows(directory: Path, row: type[_Row]) -> list[_Row]:
    """Read what `save_rows` wrote.

    Args:
        directory: The kind's folder.
        row: `str` for a passage a row, `list[str]` for several.

    Raises:
        IndexMissingError: The file is missing or damaged.
    """
    file = directory / ROWS_FILE
    try:
        return TypeAdapter(list[row]).validate_json(file.read_bytes(), strict=True)  # type: ignore[valid-type]
    except OSError as error:
        raise damage_error(file, f"cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise damage_error(file, "is no list of passage ids") from error
