"""Names that the user keeps apart: undone merges, kept beside the corpus for every later build."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from hopyard.indexes.manifest import damage_error
from hopyard.state.atomic import write_file

__all__ = ("APART_FILE", "read", "write")

APART_FILE: Final = "apart.json"

Pairs = tuple[tuple[str, str], ...]
_PAIRS: Final = TypeAdapter(Pairs)


def read(index: Path) -> Pairs:
    """The pairs of normalised names of an index directory, sorted.

    Raises:
        IndexMissingError: The file is damaged.
    """
    file = index / APART_FILE
    try:
        return _PAIRS.validate_json(file.read_bytes())
    except FileNotFoundError:
        return ()
    except (OSError, ValidationError) as error:
        raise damage_error(file, "is no list of pairs of names") from error


def write(index: Path, pairs: Iterable[tuple[str, str]]) -> None:
    """Replace the pairs."""
    rows = sorted({(min(pair), max(pair)) for pair in pairs})
    write_file(index / APART_FILE, json.dumps(rows, ensure_ascii=False, indent=1).encode())
