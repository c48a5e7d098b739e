"""The documents of an index; no model is opened."""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from hopyard.indexes.corpus.manifest import check_files, generation_directory, read_manifest
from hopyard.indexes.corpus.records import Document, Passage
from hopyard.indexes.corpus.snapshot import Snapshot
from hopyard.indexes.kind import KINDS
from hopyard.state.errors import UsageError
from hopyard.state.metadata import MetadataValue, describe
from hopyard.state.references import SECTION_MARK, file_name, in_folder
from hopyard.state.settings.rights import readers_of
from hopyard.state.where import parse_condition

_OF_PASSAGES: Final = frozenset({"page", "section"})
_SHOWN: Final = 5
"""Documents that an error names."""


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """One document of an index."""

    id: str
    title: str
    source: str
    passages: int
    """How many of its passages fit the filter; all of them without one."""
    date: str
    """The date in its metadata, or ""."""
    indexed: str
    """When its text was put into the index, as an ISO time; "" in an index of an older Hopyard."""
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name for `index show` and `index remove`: the path of a file, else the id."""
        return self.source if file_name(self.source) else self.id


@dataclass(frozen=True, slots=True)
class DocumentDetails:
    """A document with what was made of it."""

    entry: DocumentEntry
    passages: Sequence[Passage]
    derived: Mapping[str, Mapping[str, Mapping[str, Any]]]
    """Data that each kind derived from each passage, by passage id and kind."""
    reading: Mapping[str, Any] = field(default_factory=dict)
    """The words that it lacks of its file (`Kept.as_dict`); empty if it lacks none."""
    readers: Sequence[Sequence[str]] | None = None
    """The groups that may read it: a caller needs one of each. None if neither the index nor the
    document names groups, or for a caller with groups."""

    @property
    def sections(self) -> dict[str, int]:
        """How many passages each section has, in the document's order."""
        counts: dict[str, int] = {}
        for passage in self.passages:
            if passage.section:
                counts[passage.section] = counts.get(passage.section, 0) + 1
        return counts


def list_documents(
    directory: Path, where: Iterable[str] = (), groups: Sequence[str] | None = None
) -> list[DocumentEntry]:
    """The documents of an index, by their names.

    Args:
        where: Conditions; a document is listed if one of its passages fits them.
        groups: As for `open_corpus`.

    Raises:
        IndexMissingError: There is no index, or it cannot be read.
        UsageError: No passage has a field that a condition names.
    """
    with open_corpus(directory, groups) as corpus:
        return _entries(corpus, tuple(where))


def read_document(
    directory: Path, name: str, groups: Sequence[str] | None = None
) -> DocumentDetails:
    """One document with its passages, in their order, and what is derived from them.

    A caller with groups does not get what is derived, nor who may read it.

    Args:
        name: Its id, its path or its file's name.
        groups: As for `open_corpus`.

    Raises:
        IndexMissingError: There is no index, or a file of it is missing or damaged.
        UsageError: No document has the name, or several have it.
    """
    manifest = read_manifest(directory)
    check_files(directory, manifest)
    with Snapshot(directory, manifest.generation, manifest.rights, groups) as corpus:
        entries = {entry.id: entry for entry in _entries(corpus, ())}
        found = find_documents(corpus, directory, [name])
        if len(found) > 1:
            shown = ", ".join(sorted(found)[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
            raise UsageError(f"{name!r} names {len(found)} documents ({shown}): give one id.")
        [document_id] = found
        passages = corpus.passages_of(document_id)
        reading = json.loads(corpus.reading(document_id) or "{}")
    folder = generation_directory(directory, manifest.generation)
    derived: dict[str, dict[str, Mapping[str, Any]]] = {passage.id: {} for passage in passages}
    kinds = manifest.kinds if groups is None else ()
    for kind in (KINDS[name] for name in kinds if name in KINDS):
        for passage_id, values in kind.derived(folder / kind.name, list(derived)).items():
            derived[passage_id][kind.name] = values
    entry, readers = entries[document_id], None
    if groups is None:
        named = readers_of(entry.metadata, entry.source, manifest.rights)
        readers = named if named or manifest.rights else None
    return DocumentDetails(entry, passages, derived, reading, readers)


def find_documents(corpus: Snapshot, directory: Path, names: Iterable[str]) -> set[str]:
    """The ids of the documents that some names stand for.

    A name is an id, a file, a folder, or a pattern such as `reports/*.pdf`. Paths begin below the
    folder that was indexed, or with its name. The name of a file stands for all files of that
    name, and a file of several documents for all of them.

    Raises:
        UsageError: A name stands for no document, or for folders in several places.
    """
    wanted = list(names)
    found = {*corpus.lengths(wanted)}
    others = [name for name in wanted if name not in found]
    documents = list(corpus.outlines()) if others else []
    for name in others:
        ids = _named(name, documents)
        if not ids:
            raise UsageError(
                f"No document of the index {str(directory)!r} is named {name!r}: give an id, a "
                "path, or a pattern such as 'reports/*.pdf'; "
                f"`hopyard index list {directory}` shows them."
            )
        found |= ids
    return found


def matching_documents(
    corpus: Snapshot, directory: Path, names: Iterable[str], where: Iterable[str] = ()
) -> set[str]:
    """The ids of the documents that some names stand for and that fit a filter.

    Args:
        directory: The index directory, for errors.
        names: As `find_documents` takes them; none stand for all documents that fit the filter.
        where: Conditions on whole documents.

    Raises:
        UsageError: A name stands for no document, or a condition is about single passages.
    """
    conditions = tuple(where)
    if about := _OF_PASSAGES.intersection(parse_condition(text).field for text in conditions):
        raise UsageError(
            f"A filter on {min(about)} selects passages, but `remove` deletes whole documents: "
            f"filter by source, date, title or another field of the metadata."
        )
    named = find_documents(corpus, directory, names)
    if not conditions:
        return named
    fitting = {entry.id for entry in _entries(corpus, conditions)}
    if not (fitting := named & fitting if named else fitting):
        raise UsageError(f"No document matches {' and '.join(conditions)}, so nothing is removed.")
    return fitting


def open_corpus(directory: Path, groups: Sequence[str] | None = None) -> Snapshot:
    """The documents and passages of an index.

    Args:
        groups: The caller's groups: only what these may read is there. None for all.

    Raises:
        IndexMissingError: There is no index, or it cannot be read.
    """
    manifest = read_manifest(directory)
    return Snapshot(directory, manifest.generation, manifest.rights, groups)


def _entries(corpus: Snapshot, where: Sequence[str]) -> list[DocumentEntry]:
    allowed = None
    if where:
        from hopyard.indexes.filters.allowed import allowed_passages

        allowed = allowed_passages(corpus, where)
    times = corpus.indexed()
    held = Counter(
        document
        for passage, document, _, _ in corpus.places()
        if allowed is None or passage in allowed
    )
    entries = [
        _entry(document, held[document.id], times.get(document.id, ""))
        for document in corpus.outlines()
        if document.id in held
    ]
    return sorted(entries, key=lambda entry: (entry.name.casefold(), entry.id))


def _entry(document: Document, passages: int, indexed: str) -> DocumentEntry:
    date = describe(document.metadata, ["date"])
    return DocumentEntry(
        document.id, document.title, document.source, passages, date, indexed, document.metadata
    )


def _named(name: str, documents: Sequence[Document]) -> set[str]:
    if any(document.id == name for document in documents):
        return {name}
    path = unicodedata.normalize("NFC", name).replace("\\", "/").removeprefix("./").rstrip("/")
    sources = {
        document.id: unicodedata.normalize("NFC", document.source)
        for document in documents
        if document.source
    }
    if ids := {id_ for id_, source in sources.items() if _is_in(source, path)}:
        return ids
    if ids := {id_ for id_, source in sources.items() if _file_of(source) == path}:
        return ids
    if ids := _under(path, sources):
        return ids
    tests = (
        # The path on this machine, whatever folder was given to the build.
        lambda source: path.endswith(f"/{source}") or source.endswith(f"/{path}"),
        lambda source: _is_pattern(path) and fnmatchcase(source.rpartition("/")[2], path),
    )
    for test in tests:
        if ids := {id_ for id_, source in sources.items() if test(source)}:
            return ids
    return {doc.id for doc in documents if _is_pattern(name) and fnmatchcase(doc.id, name)}


def _under(path: str, sources: Mapping[str, str]) -> set[str]:
    """The ids of the documents that a folder or pattern stands for.

    It begins with the name of the folder that was indexed, or below it.

    Raises:
        UsageError: It stands for documents in several places.
    """
    whole = {id_ for id_, source in sources.items() if _fits(source, path)}
    below: dict[str, set[str]] = {}
    for id_, source in sources.items():
        if id_ not in whole and _fits(in_folder(source), path):
            below.setdefault(source.partition("/")[0], set()).add(id_)
    if len(below) + bool(whole) > 1:
        places = [*([path] if whole else []), *(f"{folder}/{path}" for folder in sorted(below))]
        raise UsageError(
            f"{path!r} may be {' or '.join(map(repr, places))}: begin it with the name of the "
            "folder that was indexed, or give ids."
        )
    return whole.union(*below.values())


def _file_of(source: str) -> str:
    """The name of the file that a document is, or is in."""
    return source.partition(SECTION_MARK)[0].rpartition("/")[2]


def _is_in(source: str, path: str) -> bool:
    """Whether a document is a file, or a part of it."""
    return source == path or source.startswith(f"{path}{SECTION_MARK}")


def _fits(source: str, path: str) -> bool:
    inside = _is_in(source, path) or source.startswith(f"{path}/")
    return inside or (_is_pattern(path) and fnmatchcase(source, path))


def _is_pattern(name: str) -> bool:
    return any(sign in name for sign in "*?[")
