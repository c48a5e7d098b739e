"""The files that can be read among some paths, and what is passed over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from hopyard.indexes.corpus.records import BadItem
from hopyard.indexes.documents.files import SkippedFile, shown, unknown_format
from hopyard.indexes.documents.readers.table import CORPUS_SUFFIX, Format, format_of, known_suffixes
from hopyard.state.errors import UsageError


def formats_of(paths: Iterable[str | Path]) -> Iterator[tuple[Path, Format]]:
    """The files that can be read, with their formats.

    Raises:
        UsageError: A path does not exist.
    """
    for path in map(Path, paths):
        if not path.exists():
            raise _no_path(path)
        for file in _walk(path) if path.is_dir() else [path]:
            if isinstance(file, Path) and (kind := format_of(file.name)):
                yield file, kind


def _no_path(path: Path) -> UsageError:
    return UsageError(f"There is no file or folder {shown(path)!r}: check the path.")


def files_at(path: Path) -> Iterator[Path | BadItem | SkippedFile]:
    """The files that a path stands for, in order.

    Raises:
        UsageError: The path does not exist.
    """
    if path.is_dir():
        yield from _walk(path)
    elif not path.exists():
        raise _no_path(path)
    elif is_known(path):
        yield path
    else:
        reason = unknown_format(shown(path))
        known = f" (known: {', '.join(known_suffixes())})" if reason.startswith("unknown") else ""
        yield BadItem(shown(path), reason + known)


def _walk(folder: Path) -> Iterator[Path | BadItem | SkippedFile]:
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        yield BadItem(shown(folder), f"the folder cannot be listed ({error.strerror})")
        return
    for entry in entries:
        if entry.name.startswith("."):
            yield SkippedFile(shown(entry), "hidden", lacking=False)
        elif entry.is_symlink():
            # It leads out of the folder, or to something that is read where it lies.
            yield SkippedFile(shown(entry), "a symbolic link", lacking=False)
        elif entry.is_dir():
            yield from _walk(entry)
        elif not entry.is_file():
            yield SkippedFile(shown(entry), "not a plain file", lacking=False)
        elif not is_known(entry):
            yield SkippedFile(shown(entry), unknown_format(shown(entry)))
        else:
            yield entry


def is_known(path: Path) -> bool:
    """Whether a file is in a format that is read."""
    return path.suffix.lower() == CORPUS_SUFFIX or format_of(path.name) is not None
