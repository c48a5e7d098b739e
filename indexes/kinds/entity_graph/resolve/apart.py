"""Names that must not be merged: a file beside the corpus, which every build reads."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pydantic import TypeAdapter, ValidationError

from hopyard.indexes.corpus.manifest import damage_error

__all__ = ("APART_FILE", "read")

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
