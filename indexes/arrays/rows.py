"""The list that says which passage each row of a graph stands for."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from hopyard.indexes.corpus.manifest import damage_error

ROWS_FILE: Final = "ids.json"
_ROWS: Final = TypeAdapter(list[str])


def save_rows(directory: Path, rows: Sequence[str]) -> None:
    """Write the passage ids of rows 0, 1, … into a kind's folder."""
    (directory / ROWS_FILE).write_text(json.dumps(rows), encoding="utf-8")


def load_rows(directory: Path) -> list[str]:
    """Read what `save_rows` wrote.

    Raises:
        IndexMissingError: The file is missing or damaged.
    """
    file = directory / ROWS_FILE
    try:
        return _ROWS.validate_json(file.read_bytes(), strict=True)
    except OSError as error:
        raise damage_error(file, f"cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise damage_error(file, "is no list of passage ids") from error
