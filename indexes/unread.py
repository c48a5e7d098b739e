"""The files that a build did not read, or read in part: an answer "Unknown" names them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter, ValidationError

from hopyard.indexes.corpus.chunked import UNREAD_FILE
from hopyard.indexes.corpus.generation import VISIBLE
from hopyard.indexes.corpus.manifest import read_manifest
from hopyard.indexes.listing import open_corpus
from hopyard.state.references import SECTION_MARK
from hopyard.state.settings.rights import may_read
from hopyard.state.storage.atomic import write_file
from hopyard.state.text.counting import counted

if TYPE_CHECKING:
    from hopyard.indexes.documents.folders import FolderNames
    from hopyard.indexes.documents.loaders import LoadReport

_AS_FILE: Final = TypeAdapter(dict[str, str])
_SHOWN: Final = 3
"""Files that the note names."""
_LONGEST: Final = 100
"""Characters of a reason."""


def write_unread(
    directory: Path,
    report: LoadReport,
    paths: Iterable[str | Path],
    folders: FolderNames,
    *,
    unchanged: Set[Path] = frozenset(),
    only: bool = False,
) -> None:
    """Write down what was not read, by the names that the files have in the index.

    Args:
        report: The report of this build.
        paths: The files and folders that it was given.
        unchanged: Files below them that it passed over.
        only: Whether the index holds nothing else.
    """
    from hopyard.indexes.documents.files import shown
    from hopyard.indexes.documents.folders import absolute

    def key(path: str | Path) -> str:
        return shown(folders.key(absolute(path)))

    read, passed = {key(path) for path in paths}, {key(path) for path in unchanged}

    def is_known(file: str) -> bool:
        return file in passed or not (read & {file, *map(str, Path(file).parents)})

    former = _read(directory)
    kept = {} if only else former
    found = {name: reason for name, reason in kept.items() if is_known(_file(name))}
    for place, reason in report.unread:
        file, mark, part = place.partition(SECTION_MARK)
        found.setdefault(f"{key(file)}{mark}{part}", reason)
    if found != former:
        write_file(
            directory / UNREAD_FILE, _AS_FILE.dump_json(dict(sorted(found.items())), indent=1)
        )


def forget_unread(directory: Path, files: Set[str]) -> None:
    """Take files off the list: those whose documents were removed."""
    former = _read(directory)
    left = {name: reason for name, reason in former.items() if _file(name) not in files}
    if left != former:
        write_file(directory / UNREAD_FILE, _AS_FILE.dump_json(left, indent=1))


def unread_note(directory: Path, groups: Sequence[str] | None = None) -> str:
    """A sentence about the files whose text the index lacks, or "".

    Args:
        groups: The caller's groups, who hears of no other files; None for all.
    """
    files: dict[str, str] = {}
    for name, reason in _read(directory).items():
        part = name.partition(SECTION_MARK)[2]
        files.setdefault(_file(name), f"{part}: {reason}" if part else reason)
    if files and groups is not None:
        rules = read_manifest(directory).rights
        hidden = _sources(directory) - _sources(directory, groups)
        allowed = (name for name in files if may_read({}, name, rules, groups))
        files = {name: files[name] for name in allowed if name not in hidden}
    if not files:
        return ""
    named = [f"{Path(name).name} ({reason[:_LONGEST]})" for name, reason in files.items()]
    more = f", and {len(named) - _SHOWN:,} more" if len(named) > _SHOWN else ""
    it = "it" if len(named) == 1 else "them"
    return (
        f"{counted(len(named), 'file')} of the index could not be read or not in full, and the "
        f"answer may be in {it}: {', '.join(named[:_SHOWN])}{more}."
    )


def _read(directory: Path) -> dict[str, str]:
    try:
        return _AS_FILE.validate_json((directory / UNREAD_FILE).read_bytes())
    except (OSError, ValidationError):  # none was written
        return {}


def _sources(directory: Path, groups: Sequence[str] | None = None) -> set[str]:
    with open_corpus(directory, groups) as corpus:
        return {name for (name,) in corpus.rows(f"SELECT source FROM documents WHERE {VISIBLE}")}


def _file(name: str) -> str:
    return name.partition(SECTION_MARK)[0]
