"""Objects in a file, one JSON object a line, which a kill leaves readable."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from hopyard.state.errors import UsageError
from hopyard.state.storage.atomic import write_file

T = TypeVar("T", bound=BaseModel)


class LineFile(Generic[T]):
    """A file of objects to continue. Use it in one process at a time.

    Attributes:
        rows: The objects in it.
    """

    def __init__(self, path: Path, kind: type[T], advice: str) -> None:
        """Read the file, if it exists, and remove a last line that a kill has cut in half.

        Args:
            advice: The advice for a line that is no such object, as part of a sentence.
        """
        self._path = path
        self.rows: list[T] = []
        if path.exists():
            whole, newline, half = path.read_bytes().rpartition(b"\n")
            if half:
                os.truncate(path, len(whole) + len(newline))
            self.rows = read_lines(path, kind, advice)

    def append(self, *rows: T) -> None:
        """Write objects; they are on disk when this returns."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("ab") as file:
            file.write(_encode(rows))
            file.flush()
            os.fsync(file.fileno())
        self.rows += rows


def read_lines(path: Path, kind: type[T], advice: str) -> list[T]:
    """Read a file, without a last line that a kill has cut in half.

    Args:
        advice: The advice for a file or line that is not usable, as part of a sentence.

    Raises:
        UsageError: The file cannot be read, or a whole line is no such object.
    """
    try:
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError as error:
        raise UsageError(
            f"The file {str(path)!r} cannot be read ({error.strerror}); {advice}."
        ) from error
    rows = []
    for number, line in enumerate(lines, 1):
        try:
            rows.append(kind.model_validate_json(line))
        except ValidationError as error:
            raise UsageError(
                f"{path}:{number} is not a {kind.__name__.lower()} of this version "
                f"({error.errors()[0]['msg']}); {advice}."
            ) from error
    return rows


def write_lines(path: Path, rows: Iterable[BaseModel]) -> None:
    """Write a whole file of objects, or none of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, _encode(rows))


def _encode(rows: Iterable[Any]) -> bytes:
    return b"".join(row.model_dump_json().encode("utf-8", "surrogatepass") + b"\n" for row in rows)


def write_model(path: Path, model: BaseModel) -> None:
    """Write one object as an indented JSON file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, model.model_dump_json(indent=1).encode("utf-8", "surrogatepass") + b"\n")
